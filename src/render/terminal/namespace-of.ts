import type { NotLookedAt } from '../../diagnose/report.ts';

/** `secrets in namespace a`: the kind of thing, and where. */
const inNamespace = /^(.*?) in namespace (\S+)$/;

/** What was not looked at, without the namespace. */
export const kindOf = ({ what }: NotLookedAt): string => inNamespace.exec(what)?.[1] ?? what;

/** Absent: the whole cluster, or a single object. */
export const namespaceOf = ({ what, allow }: NotLookedAt): string | undefined =>
  allow?.namespace ?? inNamespace.exec(what)?.[2];
