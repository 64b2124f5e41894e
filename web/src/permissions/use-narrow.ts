import { useSyncExternalStore } from 'react'

const narrowQuery = '(max-width: 639.98px)'

function subscribe(onChange: () => void) {
  const query = matchMedia(narrowQuery)
  query.addEventListener('change', onChange)
  return () => query.removeEventListener('change', onChange)
}

/** Whether rows are shown as cards, because columns do not fit. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(narrowQuery).matches)
