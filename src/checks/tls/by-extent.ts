/**
 * The messages of a fault of the replicas: of all that calls reach, of some, and of others only. `some` and `spare` are
 * the ends of the last two.
 */
export const byExtent = <const Text extends string, const Some extends string, const Spare extends string>(
  text: Text,
  some: Some,
  spare: Spare,
) =>
  ({
    all: text,
    some: { text: `${text}; ${some}` as `${Text}; ${Some}`, consequence: 'degraded' },
    spare: {
      text: `${text}; ${spare}` as `${Text}; ${Spare}`,
      severity: 'warning',
      consequence: 'none',
    },
  }) as const;
