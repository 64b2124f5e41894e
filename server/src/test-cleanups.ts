/** Cleanup functions, in order of registration. */
const cleanups: (() => unknown)[] = []

/**
 * Registers a cleanup after the last test of the file. Works inside hooks and tests, where Vitest's `afterAll` is
 * ignored. Cleanups run in reverse order of registration.
 */
export const onFileEnd = (cleanup: () => unknown): void => void cleanups.push(cleanup)

/** Runs all cleanups of `onFileEnd`. `test-setup.ts` calls it after each file. */
export async function runCleanups(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
}
