"""What one submission may use."""

from dataclasses import dataclass

MB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Bounds for the run of one submission; every one is enforced from outside the student's process.

    Attributes:
        cell_seconds: processor time of one step, of all its processes together; and the time in which it may do
            nothing at all. What a busy machine takes from it is not counted.
        total_seconds: processor time of everything: steps, and steps run again after a restart.
        idle_seconds: time that all steps together may do nothing: what is on the clock and not on the processor's, also
            of a step that works now and then. What a busy machine takes is not counted.
        patience: how many times as long as its processor time each may take on the clock.
        start_seconds: wall time in which a kernel must be ready.
        memory_bytes: address space of one process, and resident memory of all of a kernel's processes together, with
            the files that have no name, open or mapped. Not counted: what lies in pipes and sockets, and files without
            a name that are on their way between processes; the filter of system calls lets nobody make such files.
        scratch_bytes: what can be written to the private scratch folder.
        file_bytes: size of one file.
        output_bytes: outputs kept of one cell.
        output_total_bytes: outputs kept of all cells.
        answer_bytes: length of one answer, in UTF-8.
        processes: processes alive at one time (and, where the system counts them per sandbox, threads).
        restarts: kernels started after the first one died or was stopped.
    """

    cell_seconds: float = 30.0
    total_seconds: float = 180.0
    idle_seconds: float = 60.0
    patience: float = 6.0
    start_seconds: float = 120.0
    memory_bytes: int = 2048 * MB
    scratch_bytes: int = 64 * MB
    file_bytes: int = 32 * MB
    output_bytes: int = 1 * MB
    output_total_bytes: int = 8 * MB
    answer_bytes: int = 8 * MB
    processes: int = 64
    restarts: int = 8
