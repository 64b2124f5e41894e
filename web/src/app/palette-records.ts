import type { CurrentUser } from '@passport/contract/current-user'
import { type SearchResult, searchRecords } from '@passport/contract/search'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import {
  AppWindow,
  BadgeCheck,
  Braces,
  Building2,
  FileText,
  Package,
  Shield,
  Store,
  UserRound,
  UsersRound,
} from 'lucide-react'
import { useEffect, useState } from 'react'
import { query } from './api.ts'
import { hasRole } from './current-user.ts'
import type { PaletteItem } from './palette-items.ts'
import { queryClient } from './query-client.ts'
import { formatRecordPath } from './record-path.ts'

/** The pause in typing before a search. */
const debounceMs = 150

/** Searches records on the server, for administrators only. Until the results arrive, `isSearching` is true. */
export function useRecords(user: CurrentUser, word: string): { records: SearchResult[]; isSearching: boolean } {
  const debounced = useDebounced(word)
  const isEnabled = hasRole(user, 'Passport.Admin') && [...word].length >= 2
  const search = useQuery(
    {
      ...query(searchRecords, { query: { query: debounced } }),
      enabled: isEnabled && debounced === word,
      placeholderData: keepPreviousData,
    },
    queryClient,
  )
  if (!isEnabled) return { records: [], isSearching: false }
  const isCurrent = debounced === word && !search.isPlaceholderData
  const records = search.data ?? []
  return {
    records: isCurrent ? records : records.filter(({ name, detail }) => containsWords(`${name} ${detail ?? ''}`, word)),
    isSearching: !search.isError && (!isCurrent || search.data === undefined),
  }
}

/** Returns the text once typing pauses. */
function useDebounced(text: string): string {
  const [debounced, setDebounced] = useState(text.trim())
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text.trim()), debounceMs)
    return () => clearTimeout(timer)
  }, [text])
  return debounced
}

const normalise = (text: string) =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()

/** Reports whether a text contains all typed words, ignoring case and accents. */
export const containsWords = (text: string, typed: string): boolean =>
  normalise(typed)
    .split(/\s+/)
    .every((word) => normalise(text).includes(word))

const kindDisplay = {
  user: { icon: UserRound, kind: 'User' },
  org: { icon: Building2, kind: 'Organisation' },
  group: { icon: UsersRound, kind: 'Group' },
  role: { icon: Shield, kind: 'Role' },
  client: { icon: AppWindow, kind: 'Application' },
  'identity-api': { icon: Braces, kind: 'Identity API' },
  entitlement: { icon: BadgeCheck, kind: 'Entitlement' },
  'aws-product': { icon: Store, kind: 'AWS product' },
  'aws-subscription': { icon: Package, kind: 'AWS subscription' },
  content: { icon: FileText, kind: 'Text' },
}

/** Converts a record to an option with a link to its page. */
export function toItem(record: SearchResult): PaletteItem {
  const { kind, id, name, detail } = record
  const { icon, kind: kindLabel } = kindDisplay[kind]
  const description = [kindLabel, detail].filter(Boolean).join(' · ')
  const to = formatRecordPath(kind, id) ?? '/'
  return { id: to, label: name, to, icon, description, words: '', kind: 'record', record }
}
