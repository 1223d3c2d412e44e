// Package slowdisk makes a disk whose flushes take as long as one likes: for
// measuring on storage that few have at hand, with any program, because it is a block device.
//
//	DIR                   an ext4 file system on
//	/dev/loopN            a loop device on
//	DIR.slowdisk/fuse/disk   a file of a FUSE file system, served by a process of its own: reads
//	                      and writes are the image's (the kernel passes them through where it can), and FSYNC,
//	                      which the loop device sends for every flush, waits for the latency
//	DIR.slowdisk/image    a sparse file
//
// Beside disk there are two files: latency, which can be read and written ("2ms"), and flushes, how many
// there were since the start.
//
// The image is never synced: a flush takes the latency and nothing else, however
// busy the real disk is. So what is on such a disk survives a kill -9, but not a crash of the machine.
//
// The loop device knows no forced unit access, so a journal commit of ext4 costs
// two flushes (before and after its last block), and an overwrite that is synced one.
//
// Nothing but the kernel and the directory keeps state: Down finds the loop device by its file
// and takes down whatever is still there, also after a failure of Up or of the serving process.
//
// It needs Linux, root, /dev/fuse, loop devices and mkfs.ext4; elsewhere
// everything returns errors.ErrUnsupported.
package slowdisk
