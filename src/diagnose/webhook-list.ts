import { inCallOrder } from '../apiserver/admission/order.ts';
import { extentText, selectedNamespaces } from '../apiserver/admission/selected-namespaces.ts';
import { trustOf } from '../apiserver/certificate/anchors.ts';
import { nextCall } from '../apiserver/next-call/next-call.ts';
import { type Backend, backends, endpointsBehind } from '../apiserver/routing/backends.ts';
import { defined, groupBy } from '../basics/collections.ts';
import type { Check } from '../checks/check.ts';
import { type Callout, isAdmission } from '../facts/callout.ts';
import { keyOf, refText } from '../facts/object-ref.ts';
import type { Facts, Snapshot } from '../facts/snapshot.ts';
import { withoutHealthy } from './build-report.ts';
import { notEvaluated } from './coverage.ts';
import { joinByCause } from './findings/cause.ts';
import type { CheckResults, CheckRun } from './findings/run-check.ts';
import type { ListItem, WebhookList } from './report.ts';
import { backendReport } from './verdict/callout-report.ts';
import { verdictOf, withEffectOnly } from './verdict/verdict-of.ts';

function readiness(callout: Callout, backend: Backend | undefined, facts: Facts): ListItem['ready'] {
  const { service } = callout.client;
  if (service === undefined || !facts.endpointSlices.known(keyOf(service))) return undefined;
  const endpoints = backend === undefined ? [] : endpointsBehind(backend, facts);
  return { ready: endpoints.filter(({ ready }) => ready).length, total: endpoints.length };
}

function expiry(callout: Callout, version: string | undefined): string | undefined {
  const trust = trustOf(callout, version);
  if (trust?.kind !== 'loaded') return undefined;
  return new Date(Math.max(...trust.certificates.map(({ notAfter }) => notAfter.at))).toISOString();
}

const mostNamed = 3;

function intercepts(callout: Callout, facts: Facts): string {
  if (callout.kind === 'conversion') return `${callout.resource.plural}.${callout.resource.group}`;
  if (!isAdmission(callout)) return `${callout.group}/${callout.version}`;
  const resources = [...new Set(callout.rules.flatMap((rule) => rule.resources))];
  const more = resources.length - mostNamed;
  const named = resources.slice(0, mostNamed).join(',') + (more > 0 ? `,+${more}` : '');
  return `${named || 'nothing'} in ${extentText(selectedNamespaces(callout, facts), facts)}`;
}

interface ListOptions extends CheckRun {
  readonly checkResults: CheckResults;
  /** The controller that restores an object: `Helm shop/policy`. */
  readonly managedBy: (callout: Callout) => string | undefined;
}

/** The report of `list`: webhooks and APIServices without probes. */
export function webhookList(
  { cluster, facts, notLookedAt }: Snapshot,
  chosen: readonly Callout[],
  catalogue: readonly Check[],
  { checkResults, isOver, managedBy }: ListOptions,
): WebhookList {
  const checks = new Map(catalogue.map((check) => [check.meta.id, check]));
  const predict = withoutHealthy(nextCall, checkResults);
  const found = groupBy(
    checkResults.results.flatMap(({ findings }) => findings),
    ({ subject }) => refText(subject),
  );
  const mutating = inCallOrder(facts.callouts.filter(isAdmission).filter(({ kind }) => kind === 'mutating'));
  const orders = new Map<Callout, number>(mutating.map((callout, index) => [callout, index + 1]));
  const backendBehind = new Map(backends(facts).map((backend) => [backend.callout, backend]));
  const items = chosen.flatMap((callout): ListItem | readonly ListItem[] => {
    if (isOver?.()) return [];
    const { kind, configuration, webhook, timeoutSeconds } = callout;
    const next = predict(callout, facts);
    const about = withEffectOnly(found.get(refText(callout.ref)) ?? [], next);
    const ready = readiness(callout, backendBehind.get(callout), facts);
    const certificateExpires = expiry(callout, facts.version);
    const order = orders.get(callout);
    const by = managedBy(callout);
    return {
      kind,
      configuration,
      webhook,
      ...(isAdmission(callout)
        ? { failurePolicy: callout.failurePolicy, rules: callout.rules.length }
        : undefined),
      timeoutSeconds,
      backend: backendReport(callout),
      ...defined({ ready, certificateExpires }),
      verdict: verdictOf(callout, joinByCause(about, checks), next, facts),
      intercepts: intercepts(callout, facts),
      ...defined({ order, managedBy: by }),
    };
  });
  return {
    apiVersion: 'kubectl-webhook/v1',
    kind: 'WebhookList',
    takenAt: facts.takenAt,
    cluster,
    items,
    notLookedAt: [...notLookedAt, ...notEvaluated(chosen.length - items.length), ...checkResults.stopped],
  };
}
