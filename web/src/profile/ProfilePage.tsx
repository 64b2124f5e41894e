import { checkUsername, getProfile, type Profile, putProfile } from '@passport/contract/profile'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { AccountHead } from '../app/AccountHead.tsx'
import { call, failureOf, query } from '../app/api.ts'
import { currentUserQuery } from '../app/current-user.ts'
import { RecordFormFrame } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Field } from '../ui/Field.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { toast } from '../ui/toast.ts'
import { allowanceOf, verdictOf } from './username-verdict.ts'

const me = { params: { profileId: 'me' } }

/** What one is called, and what one is found by. */
export function ProfilePage() {
  const profile = useQuery(query(getProfile, me))
  return (
    <div className="max-w-[760px]">
      <AccountHead />
      <Card title="Profile" about="How others see you here, and in the apps that you sign in to.">
        <div className="px-5 pb-5">
          {profile.error && <ErrorCard failure={failureOf(profile.error)} onRetry={() => void profile.refetch()} />}
          {profile.data && <ProfileForm profile={profile.data} />}
        </div>
        {profile.isPending && <Skeleton label="Loading your profile" rows={2} rowClass="h-16" />}
      </Card>
    </div>
  )
}

const savedOf = ({ displayname, username, version }: Profile) => ({
  values: { displayname: displayname ?? '', username: username ?? '' },
  version,
})

function ProfileForm({ profile }: { profile: Profile }) {
  const queries = useQueryClient()
  const record = useRecordForm({
    saved: savedOf(profile),
    labels: { displayname: 'Display name', username: 'Username' },
    fieldOf: { 'username-cooldown': 'username' },
    save: ({ displayname, username }, options) =>
      call(putProfile, { ...me, body: { displayname, ...(username.trim() !== '' && { username }) } }, options),
    reload: async () => savedOf(await call(getProfile, me)),
    onSaved: (answer) => {
      queries.setQueryData(query(getProfile, me).queryKey, answer as Profile)
      void queries.invalidateQueries(currentUserQuery)
      void queries.invalidateQueries({ queryKey: [checkUsername.path] })
      void toast({ type: 'success', content: 'Your profile is saved' })
    },
  })
  const typed = record.form.watch('username')
  const { hint, isAllowed } = useUsername(typed, profile.username)
  return (
    <RecordFormFrame record={record} what="your profile">
      <Field
        label="Display name"
        autoComplete="name"
        hint="Your name as you write it, in any script."
        error={record.errorOf('displayname')}
        {...record.form.register('displayname', { setValueAs: trimmed })}
      />
      <Field
        label="Username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        readOnly={!isAllowed}
        hint={<span role="status">{hint}</span>}
        error={record.errorOf('username')}
        {...record.form.register('username', { setValueAs: (text: string) => trimmed(text).toLowerCase() })}
      />
    </RecordFormFrame>
  )
}

/** As the server will keep it, so that nothing looks unsaved once it is saved. */
const trimmed = (text: string) => text.normalize('NFC').trim()

const pauseMs = 250

/** Whether the name that is typed can be had, asked once nothing more is typed. */
function useUsername(typed: string, current: string | null) {
  const [settled, settle] = useState(typed)
  useEffect(() => {
    const timer = setTimeout(() => settle(typed), pauseMs)
    return () => clearTimeout(timer)
  }, [typed])
  const { data } = useQuery(query(checkUsername, { ...me, query: { username: settled.trim().slice(0, 100) } }))
  const isCurrent = data !== undefined && settled === typed && data.username === typed.trim().toLowerCase()
  const allowance = data ? allowanceOf(data, current !== null) : ''
  return {
    hint: [isCurrent && typed.trim() !== '' ? verdictOf(data) : '', allowance].filter(Boolean).join(' '),
    isAllowed: current === null || !data || data.nextChangeAt === null,
  }
}
