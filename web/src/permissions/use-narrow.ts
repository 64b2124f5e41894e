import { useSyncExternalStore } from 'react'

const narrow = '(max-width: 639.98px)'

function subscribe(onChange: () => void) {
  const query = matchMedia(narrow)
  query.addEventListener('change', onChange)
  return () => query.removeEventListener('change', onChange)
}

/** Whether rows are cards: there is room for one thing beside the other no more. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(narrow).matches)
