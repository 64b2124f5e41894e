import type { CurrentUser } from '@passport/contract/current-user'
import { type FoundRecord, searchRecords } from '@passport/contract/search'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Building2, Shield, UserRound, UsersRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import { query } from './api.ts'
import { hasRole } from './current-user.ts'
import type { Destination } from './own-pages.ts'
import { queryClient } from './query-client.ts'
import { recordPath } from './record-path.ts'

/** Typing that goes on within this time is waited for. */
const pauseMs = 150

/** The records that the server finds for a word, for those who may see all of them; `isSearching` until they are here. */
export function useRecords(user: CurrentUser | null, word: string): { records: FoundRecord[]; isSearching: boolean } {
  const settled = useSettled(word)
  const isAsked = hasRole(user, 'Passport.Admin') && [...word].length >= 2
  const found = useQuery(
    {
      ...query(searchRecords, { query: { query: settled } }),
      enabled: isAsked && settled === word,
      placeholderData: keepPreviousData,
    },
    queryClient,
  )
  if (!isAsked) return { records: [], isSearching: false }
  const isCurrent = settled === word && !found.isPlaceholderData
  const records = found.data ?? []
  return {
    records: isCurrent ? records : records.filter(({ name, detail }) => hasWords(`${name} ${detail ?? ''}`, word)),
    isSearching: !found.isError && (!isCurrent || found.data === undefined),
  }
}

/** What was typed, once nothing more is. */
function useSettled(text: string): string {
  const [settled, settle] = useState(text.trim())
  useEffect(() => {
    const timer = setTimeout(() => settle(text.trim()), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()

/** Whether a text has all the words of what is typed, in whatever case and with or without accents. */
export const hasWords = (text: string, typed: string): boolean =>
  plain(typed)
    .split(/\s+/)
    .every((word) => plain(text).includes(word))

const places = {
  user: { icon: UserRound, kind: 'User' },
  org: { icon: Building2, kind: 'Organisation' },
  group: { icon: UsersRound, kind: 'Group' },
  role: { icon: Shield, kind: 'Role' },
}

/** A record as a place to jump to. */
export function destinationOf({ kind, id, name, detail }: FoundRecord): Destination {
  const { icon, kind: called } = places[kind]
  const about = [called, detail].filter(Boolean).join(' · ')
  return { label: name, to: recordPath(kind, id) ?? '/', icon, about }
}
