/** Loads the code that evaluates facts, while a cluster is read. */
export async function loadChecks() {
  const [{ catalogue }, { checkWhileReading, parseCaBundles }, { inItsShare }] = await Promise.all([
    import('../checks/catalogue.ts'),
    import('./check-while-reading.ts'),
    import('./time-slice.ts'),
  ]);
  return { catalogue, checkWhileReading, parseCaBundles, inItsShare };
}
