import { parseGoDuration } from '../../facts/duration.ts';
import { ConnectionProblem } from './connection-problem.ts';

/**
 * Milliseconds for `--request-timeout`; undefined: no limit. Whole seconds may stand without a unit. Source:
 * client-go/tools/clientcmd/helpers.go, ParseTimeout.
 */
export function requestTimeout(flag: string | undefined): number | undefined {
  if (flag === undefined || flag === '') return undefined;
  const milliseconds = /^\d+$/.test(flag) ? Number(flag) * 1000 : parseGoDuration(flag);
  if (milliseconds === undefined || milliseconds < 0 || milliseconds > 2 ** 31 - 1)
    throw new ConnectionProblem(
      `--request-timeout ${flag} is not a length of time`,
      'Give whole seconds or a number with a unit: 30, 30s, 2m, 1h.',
    );
  return milliseconds === 0 ? undefined : Math.ceil(milliseconds);
}
