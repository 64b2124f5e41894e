import type { CurrentUser } from '@passport/contract/current-user'
import type { SearchResult } from '@passport/contract/search'
import { useRouter } from '@tanstack/react-router'
import { type ReactNode, useEffect, useId, useLayoutEffect } from 'react'
import { Avatar } from '../ui/Avatar.tsx'
import { Button } from '../ui/Button.tsx'
import { KeyCaps } from './KeyCaps.tsx'
import { listItems, listTraces, type PaletteItem, startsWords } from './palette-items.ts'
import { readRecentPages, readRecentRecords, rememberPage, rememberRecord } from './palette-recent.ts'
import { containsWords, toItem, useRecords } from './palette-records.ts'
import { toLink } from './record-path.ts'

interface PaletteListProps {
  /** The id of the list; an option appends its index. */
  id: string
  user: CurrentUser
  text: string
  active: number
  onActive: (index: number) => void
  onCount: (count: number) => void
  isEntered: boolean
  onClose: () => void
}

/** The pages, commands and records that match the text of the palette; the input keeps the focus. */
export function PaletteList(props: PaletteListProps) {
  const { id: listId, user, text, active, onActive, onCount, isEntered, onClose } = props
  const router = useRouter()
  const { sub } = user.claims
  const { records, isSearching } = useRecords(user, text)
  const groups = text === '' ? listGroups(user) : groupByKind(rankItems(user, records, text))
  const items = groups.flatMap((group) => group.items)
  // The arrows wrap around.
  const activeIndex = items.length === 0 ? 0 : (active + items.length) % items.length

  function run({ id, to, href, action, record }: PaletteItem) {
    if (record) rememberRecord(sub, record)
    else if (to !== undefined) rememberPage(id)
    onClose()
    if (to !== undefined) {
      void router.navigate(toLink(to))
    } else if (href !== undefined) location.assign(href)
    else action?.()
  }

  // Enter before the first result opens it once it arrives.
  useEffect(() => {
    const item = items[activeIndex]
    if (isEntered && item) run(item)
  })
  useEffect(() => {
    if (activeIndex !== active) onActive(activeIndex)
    document.getElementById(`${listId}-${activeIndex}`)?.scrollIntoView?.({ block: 'nearest' })
  }, [listId, active, activeIndex, onActive])
  useLayoutEffect(() => onCount(items.length), [items.length, onCount])

  return (
    <>
      <p role="status" className={items.length > 0 ? 'sr-only' : 'px-4 py-8 text-center text-ink2'}>
        {items.length === 0 && (isSearching ? 'Searching…' : `No results for “${text}”`)}
      </p>
      <div
        id={listId}
        role="listbox"
        aria-label="Results"
        aria-busy={isSearching}
        className="max-h-[56dvh] overflow-y-auto p-1.5 empty:p-0"
      >
        {groups.map(({ title, items: itemsOfGroup }) => (
          <Group key={title} title={title}>
            {itemsOfGroup.map((item) => {
              const index = items.indexOf(item)
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
                <div
                  key={item.id}
                  id={`${listId}-${index}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === activeIndex}
                  data-highlighted={index === activeIndex || undefined}
                  className="pop-item cursor-default scroll-my-1.5"
                  // A press must not take the focus from the input.
                  onMouseDown={(event) => event.preventDefault()}
                  onMouseMove={() => onActive(index)}
                  onClick={() => run(item)}
                >
                  <Option {...item} />
                </div>
              )
            })}
          </Group>
        ))}
      </div>
      <div className="flex justify-end border-t border-line px-4 py-2 text-[12px] text-ink3">
        <p aria-hidden="true" className="flex items-center gap-1.5 max-sm:hidden">
          <KeyCaps keys="↑ ↓" /> Move
          <KeyCaps keys="↵" className="ml-3" /> Open
          <KeyCaps keys="Esc" className="ml-3" /> Close
        </p>
        <Button className="w-full sm:hidden" onClick={onClose}>
          Close
        </Button>
      </div>
    </>
  )
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of options, not of form controls
    <div role="group" aria-labelledby={id}>
      <div id={id} role="presentation" className="px-2.5 pt-2.5 pb-1 text-[12px] font-[560] text-ink3">
        {title}
      </div>
      {children}
    </div>
  )
}

/** On a narrow screen the description is below the label, so that neither shortens the other. */
function Option({ icon: Icon, label, description, keys, record }: PaletteItem) {
  return (
    <>
      {record?.kind === 'user' ? (
        <Avatar id={record.id} name={label} size={22} />
      ) : (
        <Icon size={16} strokeWidth={1.75} className="mx-1.5 shrink-0 text-ink3" />
      )}
      <span className="min-w-0 flex-1 py-1.5 sm:flex sm:gap-2.5 sm:py-0">
        <span className="block truncate font-[560] sm:max-w-full sm:shrink-0">{label}</span>
        <span className="block truncate text-ink3">{description}</span>
      </span>
      {keys && <KeyCaps keys={keys} className="max-sm:hidden" />}
    </>
  )
}

/** Returns all items, as shown without a search: recently opened ones first, then by kind. */
function listGroups(user: CurrentUser): { title: string; items: PaletteItem[] }[] {
  const items = listItems(user)
  const recentPages = readRecentPages().flatMap((path) => items.filter(({ id }) => id === path))
  const recent = [...readRecentRecords(user.claims.sub).map(toItem), ...recentPages]
  return [{ title: 'Recent', items: recent }, ...groupByKind(items.filter((item) => !recent.includes(item)))].filter(
    isNotEmpty,
  )
}

const kindTitles: Record<PaletteItem['kind'], string> = {
  page: 'Go to',
  action: 'Actions',
  guide: 'Guides',
  record: 'Records',
}

/** Groups items by kind: pages and actions in the order of their best match, then guides, then records. */
function groupByKind(items: PaletteItem[]) {
  const { guide = [], record = [], ...best } = Object.groupBy(items, ({ kind }) => kind)
  const all = Object.entries({ ...best, guide, record }) as [PaletteItem['kind'], PaletteItem[]][]
  return all.map(([kind, ofKind]) => ({ title: kindTitles[kind], items: ofKind })).filter(isNotEmpty)
}

const isNotEmpty = ({ items }: { items: PaletteItem[] }) => items.length > 0

/**
 * Returns the matches: pages and commands by their labels, then by their search words, then records. Records come last,
 * because they arrive late: an option must not move while the user is about to choose it.
 */
function rankItems(user: CurrentUser, records: SearchResult[], text: string): PaletteItem[] {
  const items = listItems(user)
  const recent = readRecentPages()
  const rank = ({ id, label }: PaletteItem) =>
    (label.toLowerCase().startsWith(text.toLowerCase()) ? 0 : 10) + (recent.includes(id) ? recent.indexOf(id) : 9)
  const byLabel = items.filter(({ label }) => startsWords(label, text)).toSorted((a, b) => rank(a) - rank(b))
  const byWords = items.filter(({ label, words }) => startsWords(`${label} ${words}`, text))
  const recentRecords = readRecentRecords(user.claims.sub).filter(({ name }) => containsWords(name, text))
  const matches = [...listTraces(user, text), ...byLabel, ...byWords, ...[...recentRecords, ...records].map(toItem)]
  return [...new Map(matches.map((item) => [item.id, item])).values()]
}
