/** What tests started and did not stop, in the order of its start. */
const endings: (() => unknown)[] = []

/**
 * Stops something after the last test of the file. Works inside hooks and tests, where Vitest's `afterAll` is ignored.
 * What started last stops first.
 */
export const atTheEnd = (end: () => unknown): void => void endings.push(end)

/** Stops everything that `atTheEnd` was given. `test-setup.ts` calls it after each file. */
export async function runEndings(): Promise<void> {
  for (const end of endings.splice(0).reverse()) await end()
}
