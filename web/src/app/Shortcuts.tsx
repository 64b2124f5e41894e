import type { CurrentUser } from '@passport/contract/current-user'
import { useRouter } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { ownPages } from './own-pages.ts'
import { openPalette } from './palette-store.ts'
import { areShortcutsOn, isTyping } from './shortcut-keys.ts'

const ShortcutList = lazy(async () => ({ default: (await import('./ShortcutList.tsx')).ShortcutList }))

/** The first key of a pair waits so long for the second. */
const pairMs = 1200

/** Listens to the keyboard: ⌘K and Ctrl K always, the single keys unless they are turned off, and never while one types. */
export function Shortcuts({ user }: { user: CurrentUser }) {
  const router = useRouter()
  /** Not wanted yet, shown, or closed again. */
  const [list, setList] = useState<'none' | 'open' | 'closed'>('none')

  useEffect(() => {
    let first = ''
    let forget = 0
    function press(event: KeyboardEvent) {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        return openPalette()
      }
      // A list that has the key took it.
      if (event.defaultPrevented) return
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target) || !areShortcutsOn()) return
      const pair = first === 'g' && /^[a-z]$/.test(event.key) ? `g ${event.key}` : undefined
      clearTimeout(forget)
      first = event.key
      forget = window.setTimeout(() => {
        first = ''
      }, pairMs)
      if (pair) void targetOf(pair, user).then((to) => (to ? router.navigate({ to }) : undefined))
      else if (event.key === '?') setList('open')
      else if (event.key === '/') openPalette()
      else return
      first = ''
      event.preventDefault()
    }
    addEventListener('keydown', press)
    return () => {
      removeEventListener('keydown', press)
      clearTimeout(forget)
    }
  }, [router, user])

  return (
    list !== 'none' && (
      <Suspense>
        <ShortcutList user={user} isOpen={list === 'open'} onClose={() => setList('closed')} />
      </Suspense>
    )
  )
}

/** Where a pair of keys leads. The pages that need a role are loaded with the first pair of who has one. */
async function targetOf(pair: string, user: CurrentUser): Promise<string | undefined> {
  const pages = user.roles.length > 0 ? (await import('./role-pages.ts')).destinationsFor(user) : ownPages
  return pages.find(({ keys }) => keys === pair)?.to
}
