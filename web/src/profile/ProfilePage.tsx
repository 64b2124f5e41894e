import { checkUsername, getProfile, type Profile, putProfile } from '@passport/contract/profile'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { AccountHead } from '../app/AccountHead.tsx'
import { call, query, toFailure } from '../app/api.ts'
import { currentUserQuery } from '../app/current-user.ts'
import { reportSuccess } from '../app/messages.ts'
import { RecordFormFrame } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Field } from '../ui/Field.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { formatAllowance, formatVerdict } from './username-verdict.ts'

const ownProfile = { params: { profileId: 'me' } }

/** The user's display name and username. */
export function ProfilePage() {
  const profile = useQuery(query(getProfile, ownProfile))
  return (
    <div>
      <AccountHead />
      <Card title="Profile" description="How others see you here and in apps.">
        <div className="px-5 pb-5">
          {profile.error && <ErrorCard failure={toFailure(profile.error)} onRetry={() => void profile.refetch()} />}
          {profile.data && <ProfileForm profile={profile.data} />}
        </div>
        {profile.isPending && <Skeleton label="Loading your profile" rows={2} rowClass="h-16" />}
      </Card>
    </div>
  )
}

const toSaved = ({ displayname, username, version }: Profile) => ({
  values: { displayname: displayname ?? '', username: username ?? '' },
  version,
})

function ProfileForm({ profile }: { profile: Profile }) {
  const queries = useQueryClient()
  const record = useRecordForm({
    saved: toSaved(profile),
    labels: { displayname: 'Display name', username: 'Username' },
    fieldByCode: { 'username-cooldown': 'username' },
    save: ({ displayname, username }, options) =>
      call(putProfile, { ...ownProfile, body: { displayname, ...(username.trim() !== '' && { username }) } }, options),
    reload: async () => toSaved(await call(getProfile, ownProfile)),
    onSaved: (response) => {
      queries.setQueryData(query(getProfile, ownProfile).queryKey, response as Profile)
      void queries.invalidateQueries(currentUserQuery)
      void queries.invalidateQueries({ queryKey: [checkUsername.path] })
      reportSuccess('Saved')
    },
  })
  const typed = record.form.watch('username')
  const { hint, isAllowed: canChange } = useUsername(typed, profile.username)
  return (
    <RecordFormFrame record={record} recordLabel="your profile">
      <Field
        label="Display name"
        autoComplete="name"
        hint="Letters of any script are allowed."
        error={record.errorOf('displayname')}
        {...record.form.register('displayname', { setValueAs: normalize })}
      />
      <Field
        label="Username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        readOnly={!canChange}
        hint={<span role="status">{hint}</span>}
        error={record.errorOf('username')}
        {...record.form.register('username', { setValueAs: (text: string) => normalize(text).toLowerCase() })}
      />
    </RecordFormFrame>
  )
}

/** Normalizes like the server, so that a saved value does not look changed. */
const normalize = (text: string) => text.normalize('NFC').trim()

const pauseMs = 250

/** Checks whether the typed username is available, once typing pauses. */
function useUsername(typed: string, current: string | null) {
  const [debounced, setDebounced] = useState(typed)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(typed), pauseMs)
    return () => clearTimeout(timer)
  }, [typed])
  const { data } = useQuery(
    query(checkUsername, { ...ownProfile, query: { username: debounced.trim().slice(0, 100) } }),
  )
  const isCurrent = data !== undefined && debounced === typed && data.username === typed.trim().toLowerCase()
  const allowanceText = data ? formatAllowance(data, current !== null) : ''
  return {
    hint: [isCurrent && typed.trim() !== '' ? formatVerdict(data) : '', allowanceText].filter(Boolean).join(' '),
    isAllowed: current === null || !data || data.nextChangeAt === null,
  }
}
