import { type Callout, clientConfigPath } from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { lastWritersFirst, type ManagedFields } from '../../facts/objects/metadata.ts';
import type { Job } from '../../facts/objects/pod-controller.ts';
import { requestedInjector } from '../../products/ca-injectors.ts';
import { restoresDeclaredState, writesDeclaredState } from '../../products/declaring-tools.ts';
import { fieldManagers } from '../../products/field-managers.ts';
import { declarativeOwnerOf, helmRelease } from '../../products/of-metadata.ts';
import { ownInjector } from '../../products/writers.ts';
import type { WriterProblem } from './writer-facts.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const blank = (base64: string): boolean => Buffer.from(base64, 'base64').toString('latin1').trim() === '';

/** The caBundle in the last applied manifest; undefined if it has none. */
export function declaredBundle(callout: Callout): string | undefined {
  const text = callout.metadata.annotations?.[lastApplied];
  if (text === undefined) return undefined;
  try {
    let at: unknown = JSON.parse(text);
    for (const part of [...clientConfigPath(callout), 'caBundle']) {
      at =
        typeof part === 'number'
          ? (at as readonly { readonly name?: string }[]).find(({ name }) => name === callout.webhook)
          : (at as Readonly<Record<string, unknown>>)[part];
    }
    return typeof at === 'string' ? at : undefined;
  } catch {
    // Any client may write the annotation, and a manifest need not declare a caBundle.
    return undefined;
  }
}

/** The controller that restores the configuration, for messages; the label or annotation that shows it. */
function restorerOf({
  ref,
  metadata,
}: Callout): { readonly name: string; readonly evidence: Evidence } | undefined {
  const keeper = declarativeOwnerOf(metadata);
  if (keeper !== undefined) {
    const evidence = { object: ref, field: `metadata.${keeper.field}`, value: keeper.value };
    return { name: `${keeper.by} ${keeper.source}`, evidence };
  }
  const release = helmRelease(metadata);
  if (release === undefined) return undefined;
  const field = 'metadata.annotations["meta.helm.sh/release-name"]';
  return {
    name: `Helm release ${release.namespace}/${release.name}`,
    evidence: { object: ref, field, value: release.name },
  };
}

/** Reports a tool that repeatedly applies a declared caBundle, which is not that of the serving certificate. */
export function declaredOther(callout: Callout): WriterProblem | undefined {
  const owner = [...fieldManagers(callout)].find(
    ([manager, fields]) => restoresDeclaredState(manager) && fields.includes('caBundle'),
  )?.[0];
  if (owner === undefined) return undefined;
  const restorer = restorerOf(callout);
  const says = { object: callout.ref, field: 'metadata.managedFields', value: `${owner} wrote caBundle` };
  return {
    why: 'declaredOther',
    writer: restorer?.name ?? owner,
    detail: `field manager ${owner}`,
    evidence: [...(restorer === undefined ? [] : [restorer.evidence]), says],
  };
}

const syncOptions = 'argocd.argoproj.io/sync-options';

/** The last writer of the configuration's own fields. */
const lastWriter = ({ metadata }: Callout): ManagedFields | undefined =>
  lastWritersFirst(metadata.managedFields ?? []).find(
    ({ fieldsV1 = {} }) => Object.hasOwn(fieldsV1, 'f:webhooks') || Object.hasOwn(fieldsV1, 'f:spec'),
  );

/** Reports a declared state without a CA that repeatedly overwrites the caBundle. */
export function restorerProblem(callout: Callout, jobs: readonly Job[]): WriterProblem | undefined {
  const { ref, metadata } = callout;
  const restorer = restorerOf(callout);
  const declared = declaredBundle(callout);
  const owner = [...fieldManagers(callout)].find(
    ([manager, fields]) => writesDeclaredState(manager) && fields.includes('caBundle'),
  )?.[0];
  const writer = restorer?.name ?? owner;
  const marks = restorer === undefined ? [] : [restorer.evidence];
  // A caBundle that was empty from the creation waits for the injection.
  const again = (lastWriter(callout)?.time ?? '') > (metadata.creationTimestamp ?? '');
  if (declarativeOwnerOf(metadata) === undefined && !again) return undefined;
  if (declared !== undefined && blank(declared)) {
    const field = `metadata.annotations["${lastApplied}"]`;
    const says = { object: ref, field, value: `caBundle: "${declared}"` };
    return {
      why: 'declaredEmpty',
      writer: writer ?? 'kubectl apply',
      detail: 'last-applied-configuration',
      evidence: [...marks, says],
    };
  }
  if (owner !== undefined && writer !== undefined) {
    const says = { object: ref, field: 'metadata.managedFields', value: `${owner} wrote caBundle` };
    return { why: 'declaredEmpty', writer, detail: `field manager ${owner}`, evidence: [...marks, says] };
  }
  const options = metadata.annotations?.[syncOptions] ?? '';
  if (restorer !== undefined && /\bReplace=true\b/.test(options)) {
    const says = { object: ref, field: `metadata.annotations["${syncOptions}"]`, value: options };
    return { why: 'replaced', writer: restorer.name, detail: 'Replace=true', evidence: [...marks, says] };
  }
  const last = lastWriter(callout);
  const at = last?.time ?? '';
  const patched =
    jobs
      .flatMap(({ status }) => status?.completionTime ?? [])
      .sort()
      .at(-1) ?? '';
  const since = [metadata.creationTimestamp ?? '', patched].sort().at(-1) ?? '';
  const isFilledIn =
    patched !== '' || requestedInjector(metadata) !== undefined || ownInjector(callout) !== undefined;
  if (restorer === undefined || !isFilledIn || !writesDeclaredState(last?.manager ?? '') || at <= since)
    return undefined;
  const says = { object: ref, field: 'metadata.managedFields', value: `${last?.manager} wrote at ${at}` };
  return { why: 'overwritten', writer: restorer.name, detail: at, evidence: [...marks, says] };
}
