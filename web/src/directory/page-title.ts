import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { windowTitle } from '../app/brand.ts'

/** Sets the window title once the record is known; it overrides the title of the route. */
export function usePageTitle(title: string): void {
  const router = useRouter()
  useEffect(() => {
    const apply = () => {
      document.title = windowTitle(title)
    }
    apply()
    return router.subscribe('onResolved', apply)
  }, [router, title])
}
