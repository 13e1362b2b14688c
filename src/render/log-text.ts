import type { CalloutReport, LogReport } from '../diagnose/report.ts';
import { labels } from './labels.ts';

/** The logs of a webhook's Pods, each with its Pod. */
export const logsOf = ({
  replicas,
}: Pick<CalloutReport, 'replicas'>): readonly (LogReport & { readonly of: string })[] =>
  replicas.flatMap(({ pod, log }) =>
    log === undefined ? [] : [{ ...log, of: `${labels.log} of Pod ${pod}, container ${log.container}` }],
  );
