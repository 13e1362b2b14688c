import { rfc3339 } from '../basics/time.ts';

/** Converts milliseconds since 1970 to RFC 3339 with whole seconds. */
export const momentText = (at: number): string => rfc3339(new Date(at));
