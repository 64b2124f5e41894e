import type { ComponentType } from 'react'

/** Loads a page, when it is opened or about to be. */
export type Load = () => Promise<ComponentType>

/** The page of this name in a file. */
export const pageIn =
  <Name extends string>(file: () => Promise<Record<NoInfer<Name>, ComponentType>>, name: Name): Load =>
  async () =>
    (await file())[name]
