// Where the page of a task is: its id is that of its job, and its index.

export function indexOfTask(taskId: string): string {
  return taskId.slice(taskId.lastIndexOf('.') + 1);
}

export function pageOfTask(jobId: string, index: number | string): string {
  return `/jobs/${encodeURIComponent(jobId)}/tasks/${index}`;
}
