import type { ComponentType } from 'react'

/** Loads a page when it is opened or about to be. */
export type PageLoader = () => Promise<ComponentType>

/** Returns a loader for the named page of a file. */
export const lazyPage =
  <Name extends string>(file: () => Promise<Record<NoInfer<Name>, ComponentType>>, name: Name): PageLoader =>
  async () =>
    (await file())[name]
