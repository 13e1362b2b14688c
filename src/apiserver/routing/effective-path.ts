import { posix } from 'node:path';

/**
 * The requested path for a configured one. The client joins it with `/`, which cleans it: `/mutate/` is
 * requested as `/mutate`, no path as `/` (client-go/rest/request.go NewRequest, path.Join).
 */
export const effectivePath = (path?: string | null): string => posix.resolve('/', `./${path ?? ''}`);
