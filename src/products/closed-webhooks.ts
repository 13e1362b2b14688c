import { type AdmissionCallout, closedWebhooks, isUrlBacked } from '../facts/callout.ts';
import type { Facts } from '../facts/snapshot.ts';
import { isLoopbackHost, urlHost } from '../facts/url.ts';
import { productOf } from './of-webhook.ts';

/**
 * The provider of the cluster runs it beside each API server, which calls it over loopback: it needs nothing of the
 * cluster to answer, is as available as the API server, and nobody else can change it. The name alone says nothing: the
 * same program behind a Service is a webhook like any other.
 */
const isOfControlPlane = (callout: AdmissionCallout): boolean =>
  isUrlBacked(callout) &&
  productOf(callout)?.besideApiServers === true &&
  isLoopbackHost(urlHost(callout.client.url) ?? '');

/** Webhooks that stop what they cover while nobody answers, and that whoever runs the cluster answers for. */
export const ownClosedWebhooks = (facts: Pick<Facts, 'callouts'>): readonly AdmissionCallout[] =>
  closedWebhooks(facts).filter((callout) => !isOfControlPlane(callout));
