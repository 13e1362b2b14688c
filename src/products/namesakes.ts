import { groupBy } from '../basics/collections.ts';
import { derive } from '../basics/derive.ts';
import {
  type AdmissionCallout,
  type Callout,
  isAdmission,
  isServiceBacked,
  type ServiceBacked,
} from '../facts/callout.ts';
import { keyOf } from '../facts/object-ref.ts';
import { isProductGroup } from '../facts/resource.ts';
import type { Facts } from '../facts/snapshot.ts';

/** The resources and namespaces that a webhook intercepts, as text. */
const scopeOf = ({ rules, namespaceSelector, objectSelector }: AdmissionCallout): string =>
  [
    ...rules
      .flatMap(({ apiGroups = [], resources = [] }) =>
        apiGroups.map((group) => `${group} ${resources.join()}`),
      )
      .toSorted(),
    JSON.stringify([namespaceSelector, objectSelector]),
  ].join('; ');

/** Names of kubebuilder's scaffolding, such as `mpod.kb.io`, occur in many products: then the API group must be one of a product. */
const isOfOneProduct = ({ webhook, rules }: AdmissionCallout): boolean =>
  !webhook.endsWith('.kb.io') || rules.every(({ apiGroups = [] }) => apiGroups.every(isProductGroup));

/** The name and the scope of a webhook. */
const keyOfScope = (callout: AdmissionCallout): string =>
  `${callout.kind} ${callout.webhook} ${scopeOf(callout)}`;

const byScope = derive(['callouts'], ({ callouts }: Pick<Facts, 'callouts'>) =>
  groupBy(callouts.filter(isAdmission).filter(isServiceBacked), keyOfScope),
);

/**
 * The first such webhook of the same name and scope in another configuration, if the Service that it calls exists: one of
 * both is of another installation. With other selectors, both can be in use (revisions, tenants).
 */
export const namesakeOf = (
  callout: Callout,
  facts: Pick<Facts, 'callouts' | 'services'>,
  isMeant: (other: AdmissionCallout & ServiceBacked) => boolean = () => true,
): (AdmissionCallout & ServiceBacked) | undefined =>
  isAdmission(callout) && isOfOneProduct(callout)
    ? byScope(facts)
        .get(keyOfScope(callout))
        ?.find(
          (other) =>
            other.configuration !== callout.configuration &&
            facts.services.getIfKnown(keyOf(other.client.service)) !== undefined &&
            isMeant(other),
        )
    : undefined;
