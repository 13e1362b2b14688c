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

interface Restorer {
  /** For messages. */
  readonly name: string;
  /** The label or annotation that shows it. */
  readonly evidence: Evidence;
}

/** The field manager of the caBundle, if it is such a one. */
const managerOfBundle = (callout: Callout, isSuch: (manager: string) => boolean): string | undefined =>
  [...fieldManagers(callout)].find(
    ([manager, fields]) => isSuch(manager) && fields.includes('caBundle'),
  )?.[0];

/** The controller that restores the configuration. */
function restorerOf({ ref, metadata }: Callout): Restorer | undefined {
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
  const owner = managerOfBundle(callout, restoresDeclaredState);
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

/** A declaration without a CA: an applied manifest, or a field manager that applies one. */
function declaredEmpty(callout: Callout, restorer: Restorer | undefined): WriterProblem | undefined {
  const { ref } = callout;
  const declared = declaredBundle(callout);
  const owner = managerOfBundle(callout, writesDeclaredState);
  const marks = restorer === undefined ? [] : [restorer.evidence];
  if (declared !== undefined && blank(declared)) {
    const field = `metadata.annotations["${lastApplied}"]`;
    const says = { object: ref, field, value: `caBundle: "${declared}"` };
    return {
      why: 'declaredEmpty',
      writer: restorer?.name ?? owner ?? 'kubectl apply',
      detail: 'last-applied-configuration',
      evidence: [...marks, says],
    };
  }
  if (owner === undefined) return undefined;
  const says = { object: ref, field: 'metadata.managedFields', value: `${owner} wrote caBundle` };
  return {
    why: 'declaredEmpty',
    writer: restorer?.name ?? owner,
    detail: `field manager ${owner}`,
    evidence: [...marks, says],
  };
}

/** A tool that replaces the object. */
function replaced({ ref, metadata }: Callout, { name, evidence }: Restorer): WriterProblem | undefined {
  const options = metadata.annotations?.[syncOptions] ?? '';
  if (!/\bReplace=true\b/.test(options)) return undefined;
  const says = { object: ref, field: `metadata.annotations["${syncOptions}"]`, value: options };
  return { why: 'replaced', writer: name, detail: 'Replace=true', evidence: [evidence, says] };
}

/** A write of a tool after the creation, and after the Jobs that fill in the caBundle. */
function overwritten(
  callout: Callout,
  { name, evidence }: Restorer,
  jobs: readonly Job[],
): WriterProblem | undefined {
  const { ref, metadata } = callout;
  const { manager = '', time = '' } = lastWriter(callout) ?? {};
  const patched = jobs.flatMap(({ status }) => status?.completionTime ?? []);
  const since = [metadata.creationTimestamp ?? '', ...patched].sort().at(-1) ?? '';
  const isFilledIn =
    patched.length > 0 || requestedInjector(metadata) !== undefined || ownInjector(callout) !== undefined;
  if (!isFilledIn || !writesDeclaredState(manager) || time <= since) return undefined;
  const says = { object: ref, field: 'metadata.managedFields', value: `${manager} wrote at ${time}` };
  return { why: 'overwritten', writer: name, detail: time, evidence: [evidence, says] };
}

/** Reports a declared state without a CA that repeatedly overwrites the caBundle. */
export function restorerProblem(callout: Callout, jobs: readonly Job[]): WriterProblem | undefined {
  const { metadata } = callout;
  // A caBundle that was empty from the creation waits for the injection.
  const again = (lastWriter(callout)?.time ?? '') > (metadata.creationTimestamp ?? '');
  if (declarativeOwnerOf(metadata) === undefined && !again) return undefined;
  const restorer = restorerOf(callout);
  return (
    declaredEmpty(callout, restorer) ??
    (restorer && (replaced(callout, restorer) ?? overwritten(callout, restorer, jobs)))
  );
}
