const checks = new Set<() => boolean>()

/** Registers a check for unsaved changes; returns a function that removes it. */
export function registerUnsavedChanges(hasChanges: () => boolean): () => void {
  checks.add(hasChanges)
  return () => checks.delete(hasChanges)
}

/** Reports whether a reload would lose changes. */
export const hasUnsavedChanges = (): boolean => [...checks].some((hasChanges) => hasChanges())
