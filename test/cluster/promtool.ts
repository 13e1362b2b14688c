import { goProgram } from './go-program.ts';

/**
 * Prometheus' promtool, which checks rules and runs unit tests; built without service discovery of clouds.
 */
export const promtool = (): Promise<string> =>
  goProgram('promtool', [
    '-tags=remove_all_sd',
    '-ldflags=-s -w',
    'github.com/prometheus/prometheus/cmd/promtool',
  ]);
