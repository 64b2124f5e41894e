import { Autocomplete } from '@base-ui/react/autocomplete'
import type { CurrentUser } from '@passport/contract/current-user'
import { useRouter } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { Destination } from './own-pages.ts'
import { closePalette, recentPages, rememberPage } from './palette-store.ts'
import { destinationsFor } from './role-pages.ts'

/** Jumps to a page by a few letters of its name; the pages of the last jumps come first. */
export function Palette({ user }: { user: CurrentUser | null }) {
  const router = useRouter()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    dialog.current?.showModal()
  }, [])
  const items = inOrder(destinationsFor(user))

  function go({ to }: Destination) {
    rememberPage(to)
    dialog.current?.close()
    void router.navigate({ to })
  }

  return (
    <dialog
      ref={dialog}
      aria-label="Search or jump to"
      onClose={closePalette}
      onClick={(event) => event.target === dialog.current && dialog.current.close()}
      onKeyDown={(event) => event.key === 'Escape' && dialog.current?.close()}
      className="mx-auto mt-[12vh] w-[560px] max-w-[calc(100vw-2rem)] overflow-hidden rounded-box border border-line bg-card p-0 text-ink shadow-pop backdrop:bg-shade"
    >
      <Autocomplete.Root inline open items={items} autoHighlight="always" keepHighlight itemToStringValue={textOf}>
        <div className="flex items-center gap-3 border-b border-line px-4">
          <Search size={16} className="shrink-0 text-ink3" />
          <Autocomplete.Input
            autoFocus
            aria-label="Search or jump to"
            placeholder="Where to?"
            className="h-13 min-w-0 flex-1 bg-transparent text-[15px] outline-none placeholder:text-ink3"
          />
        </div>
        <Autocomplete.Empty>
          <p className="px-4 py-8 text-center text-ink2">No page has this in its name.</p>
        </Autocomplete.Empty>
        <Autocomplete.List className="max-h-[50vh] overflow-y-auto p-1.5 data-[empty]:p-0">
          {(item: Destination) => (
            <Autocomplete.Item key={item.to} value={item} className="pop-item cursor-default" onClick={() => go(item)}>
              <item.icon size={16} strokeWidth={1.75} className="shrink-0 text-ink3" />
              <span className="font-[560]">{item.label}</span>
              <span className="truncate text-ink3">{item.about}</span>
              {item.keys && (
                <kbd className="ml-auto font-mono text-[11px] whitespace-nowrap text-ink3">{item.keys}</kbd>
              )}
            </Autocomplete.Item>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
    </dialog>
  )
}

const textOf = ({ label, about }: Destination) => `${label} ${about}`

function inOrder(pages: Destination[]): Destination[] {
  const recent = recentPages()
  const rank = ({ to }: Destination) => (recent.includes(to) ? recent.indexOf(to) : recent.length)
  return pages.toSorted((one, other) => rank(one) - rank(other))
}
