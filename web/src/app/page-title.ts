import { useSyncExternalStore } from 'react'
import { formatPageTitle } from './brand.ts'

let heading = ''
const listeners = new Set<() => void>()

/** Sets the window title; `label` names the page within the app, where titles are in sentence case. */
export function showTitle(title: string | undefined, label: string = title ?? ''): void {
  document.title = formatPageTitle(title)
  if (label === heading) return
  heading = label
  for (const listener of listeners) listener()
}

/** Sets the title of a route. Titles of routes are in title case, as the specification has them. */
export const showRouteTitle = (title: string | undefined): void =>
  showTitle(
    title,
    title?.replaceAll(/ [A-Z](?=[a-z])/g, (start) => start.toLowerCase()),
  )

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns the label of the page or of the record that it shows. */
export const usePageLabel = (): string => useSyncExternalStore(subscribe, () => heading)
