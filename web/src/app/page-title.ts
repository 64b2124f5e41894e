import { useSyncExternalStore } from 'react'
import { formatPageTitle } from './brand.ts'

let pageLabel = ''
const listeners = new Set<() => void>()

/** Sets the window title, and the page's label within the app, which is in sentence case. */
export function showTitle(title: string | undefined, label: string = title ?? ''): void {
  document.title = formatPageTitle(title)
  if (label === pageLabel) return
  pageLabel = label
  for (const listener of listeners) listener()
}

/** Sets the window title and the label to the title of a route, which is in title case as in the specification. */
export const showRouteTitle = (title: string | undefined): void =>
  showTitle(
    title,
    title?.replaceAll(/ [A-Z](?=[a-z])/g, (match) => match.toLowerCase()),
  )

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns the label of the page: its title in sentence case, or the name of its record. */
export const usePageLabel = (): string => useSyncExternalStore(subscribe, () => pageLabel)
