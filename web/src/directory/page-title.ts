import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { showTitle } from '../app/page-title.ts'

/** Sets the window title once the record is known; it overrides the title of the route. */
export function usePageTitle(title: string): void {
  const router = useRouter()
  useEffect(() => {
    showTitle(title)
    return router.subscribe('onResolved', () => showTitle(title))
  }, [router, title])
}
