import { conversionRow, textRow } from './row.ts';

/** Conversions of custom resources, and what waits for them. */
export const conversionTexts = [
  conversionRow('no-conversion-webhook', 'registration', {
    pattern: /isn't configured for webhook conversion|unexpected crd conversion/,
    says: 'custom resource "widgets.example.com" isn\'t configured for webhook conversion',
    means:
      'A controller expects `spec.conversion.strategy: Webhook` in this CRD, but it is `None`. An older CRD was installed, or another writer replaced it.',
    next: ['kubectl get crd NAME -o yaml'],
  }),
  conversionRow('garbage-collector-waits', 'effect', {
    pattern:
      /garbage controller monitor not yet synced|unable to sync caches for garbage collector|waiting for dependency graph builder sync/,
    says: 'garbage controller monitor not yet synced: example.com/v1, Resource=widgets',
    means:
      'The garbage collector cannot list this resource, so it deletes nothing in the whole cluster. A failing conversion webhook or APIService is the usual reason.',
    next: ['kubectl get --raw /apis/GROUP/VERSION/RESOURCE'],
  }),
  textRow('conversion-refused', 'response', {
    pattern:
      /\bconversion-webhook\b.{0,200}failed to convert|failed to convert to v\d\w*: |conversion not supported for type \[kind=/,
    says: 'conversion-webhook: failed to convert: failed to convert to v1: field "size" has the wrong type',
    means:
      'The conversion webhook cannot convert a stored object, or does not support a version that the CRD serves. Every list that must convert this object fails, and the garbage collector may stop for the whole cluster.',
    next: ['kubectl get --raw /apis/GROUP/VERSION/RESOURCE'],
  }),
  conversionRow('no-conversion-webhook', 'registration', {
    pattern:
      /(?:list|watch)\b.*(?:\.\w+List\.Items: .*(?:Read\w+: expect|readObjectStart)|json: cannot unmarshal \w+ into Go struct field \w*\.?items\.)/,
    says: 'Failed to list *v1beta2.Widget: v1beta2.WidgetList.Items: []v1beta2.Widget: v1beta2.Widget.Spec: v1beta2.WidgetSpec.Tags: ReadArrayCB: expect [ or n, but found {',
    means:
      'A client cannot decode objects of this resource: they have the structure of another version. With conversion strategy `None`, the API server only changes their `apiVersion`. Either the CRD lacks the conversion webhook, or the client is of another release than the CRD.',
    next: ['kubectl get crd NAME -o yaml'],
  }),
];
