import { goProgram } from './go-program.ts';

/** Prometheus' own tool that checks rules and runs unit tests over them; without what finds targets in clouds. */
export const promtool = (): Promise<string> =>
  goProgram('promtool', [
    '-tags=remove_all_sd',
    '-ldflags=-s -w',
    'github.com/prometheus/prometheus/cmd/promtool',
  ]);
