import type { ConversionCallout } from '../facts/callout.ts';

/** The line of a log that names this resource as the one for which the program waits. */
export function waitingFor(lines: readonly string[], { group, kind }: ConversionCallout['resource']) {
  const failed = lines.find(
    (line) => line.includes(`conversion webhook for ${group}/`) && line.includes(`, Kind=${kind} failed`),
  );
  if (failed !== undefined)
    return { line: failed, said: failed.slice(failed.indexOf('conversion webhook for ')), isStated: true };
  // The name of a controller is its kind in lower case. Without a permission, it does not reach the conversion.
  const cache = `failed to wait for ${kind.toLowerCase()} caches to sync`;
  const line = lines.find((one) => one.includes(cache));
  return line === undefined || lines.some((one) => one.includes('is forbidden: '))
    ? undefined
    : { line, said: cache, isStated: false };
}
