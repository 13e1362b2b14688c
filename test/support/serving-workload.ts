import { healthy, lists, objects, type service, workload } from './snapshot.ts';

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

/** Cases in which no container of a workload serves the webhook. */
export const withoutContainer = [
  { name: 'no container declares the port', facts: healthy({ workloads: containing({ ports: [] }) }) },
  { name: 'nothing makes the Pods', facts: healthy({ workloads: lists({}) }) },
  {
    name: 'the Service does not exist',
    facts: healthy({ services: objects<ReturnType<typeof service>>() }),
  },
] as const;
