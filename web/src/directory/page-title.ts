import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { showTitle } from '../app/page-title.ts'

/** Sets the window title once the record is known, and the label of the page; they override the title of the route. */
export function usePageTitle(title: string, label = title): void {
  const router = useRouter()
  useEffect(() => {
    showTitle(title, label)
    return router.subscribe('onResolved', () => showTitle(title, label))
  }, [router, title, label])
}
