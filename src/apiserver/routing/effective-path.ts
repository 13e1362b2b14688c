/** Go's path.Clean: resolves `.` and `..`, removes duplicate and trailing slashes. */
function clean(path: string): string {
  const steps: string[] = [];
  for (const step of path.split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return `/${steps.join('/')}`;
}

/**
 * The requested path for a configured one. The client joins it with `/`, which cleans it: `/mutate/` is
 * requested as `/mutate`, no path as `/` (client-go/rest/request.go NewRequest, path.Join).
 */
export const effectivePath = (path: string | undefined): string => clean(path ?? '');
