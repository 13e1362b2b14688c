import { lists, workload } from './snapshot.ts';

/** One workload whose second container, `webhook`, has the webhook's port and these fields. */
export const containing = (webhook: object, more: object = {}, metadata: object = {}) =>
  lists({
    shop: [
      workload({
        metadata,
        spec: {
          template: {
            metadata: { labels: { app: 'policy' } },
            spec: {
              containers: [
                { name: 'proxy' },
                { name: 'webhook', ports: [{ containerPort: 8443 }], ...webhook },
              ],
              ...more,
            },
          },
        },
      }),
    ],
  });
