import type { CalloutReport, LogReport } from '../../diagnose/report.ts';
import { messageOfLine } from '../../phrases/brief.ts';
import { labels } from './labels.ts';

const time = /"(?:ts|time|timestamp|@timestamp)":\s*"([\d-]+T[\d:]+)/;

/** A line of a log in JSON that has an error, as people read it: time, message and error. Any other line as it is. */
function readable(line: string): string {
  if (!/"(?:err|error)":/.test(line)) return line;
  const message = messageOfLine(line);
  const at = time.exec(line)?.[1];
  return message === line || at === undefined ? message : `${at} ${message}`;
}

/** Lines of a log that may concern the memory of the process: the kernel kills it without one. */
const ofMemory = /memory|heap|\boom|alloc/i;

/** The logs of a webhook's Pods, each with its Pod. Those of Pods that serve requests only if `all`, or if no other Pod fails. */
export function logsOf(
  { replicas }: Pick<CalloutReport, 'replicas'>,
  all = false,
): readonly (LogReport & { readonly of: string })[] {
  const failing = replicas.filter(({ state }) => state !== 'ready');
  return (all || failing.length === 0 ? replicas : failing).flatMap(({ pod, log, state }) =>
    log === undefined || (!all && state === 'out-of-memory' && !log.lines.some((one) => ofMemory.test(one)))
      ? []
      : [
          {
            ...log,
            lines: log.lines.map(readable),
            of: `${labels.log} of Pod ${pod}, container ${log.container}`,
          },
        ],
  );
}
