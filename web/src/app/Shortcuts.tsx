import type { CurrentUser } from '@passport/contract/current-user'
import { useRouter } from '@tanstack/react-router'
import { Suspense, useEffect } from 'react'
import { Dialog } from '../ui/Dialog.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { listDestinations } from './destinations.ts'
import { closeDialog, openPalette, openShortcuts, useOpenDialog } from './open-dialog.ts'
import { areShortcutsEnabled, isTyping } from './shortcut-keys.ts'

const ShortcutList = lazyPart(async () => (await import('./ShortcutList.tsx')).ShortcutList)

/** The time allowed between the two keys of a sequence. */
const sequenceTimeoutMs = 1200

/** Handles shortcuts: ⌘K and Ctrl K always, single keys unless turned off, and never in fields. */
export function Shortcuts({ user }: { user: CurrentUser }) {
  const router = useRouter()
  const isListOpen = useOpenDialog() === 'shortcuts'

  useEffect(() => {
    let firstKey = ''
    let firstKeyAt = 0
    function handleKeyDown(event: KeyboardEvent) {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        return openPalette()
      }
      // A list has already handled the key.
      if (event.defaultPrevented) return
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target) || !areShortcutsEnabled()) return
      const isPair = firstKey === 'g' && event.timeStamp - firstKeyAt < sequenceTimeoutMs && /^[a-z]$/.test(event.key)
      const pair = isPair ? `g ${event.key}` : undefined
      firstKey = event.key
      firstKeyAt = event.timeStamp
      if (pair) openPage(pair)
      else if (event.key === '?') openShortcuts()
      else if (event.key === '/') openPalette()
      else return
      firstKey = ''
      event.preventDefault()
    }
    function openPage(pair: string) {
      const page = listDestinations(user).find(({ keys }) => keys === pair)
      if (page) void router.navigate({ to: page.to })
    }
    addEventListener('keydown', handleKeyDown)
    return () => removeEventListener('keydown', handleKeyDown)
  }, [router, user])

  return (
    <Dialog
      isOpen={isListOpen}
      onClose={() => closeDialog('shortcuts')}
      title="Keyboard shortcuts"
      className="w-[880px] outline-none"
    >
      <Suspense
        fallback={
          <div className="mt-4">
            <Skeleton label="Loading shortcuts" rows={8} rowClass="h-6" />
          </div>
        }
      >
        <ShortcutList user={user} />
      </Suspense>
    </Dialog>
  )
}
