// Memory of a task, in MB. Apart from the other options of a job, whose texts would make the page of a browser
// worker larger.

/** What every worker gives. */
export const defaultTaskMemoryMb = 512;
/** The most that may be asked for. */
export const largestTaskMemoryMb = 1024 * 1024;
