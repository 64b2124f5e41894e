import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { windowTitle } from '../app/brand.ts'

/** Gives the window the name of what is shown, once it is known; it wins over the title in the table of routes. */
export function usePageTitle(title: string): void {
  const router = useRouter()
  useEffect(() => {
    const show = () => {
      document.title = windowTitle(title)
    }
    show()
    return router.subscribe('onResolved', show)
  }, [router, title])
}
