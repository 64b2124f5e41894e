import { checkUsername, getProfile, type Profile, putProfile } from '@passport/contract/profile'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Pencil } from 'lucide-react'
import { useEffect, useState } from 'react'
import { AccountHead } from '../app/AccountHead.tsx'
import { call, query, toFailure } from '../app/api.ts'
import { currentUserQuery } from '../app/current-user.ts'
import { reportSuccess } from '../app/messages.ts'
import { useCurrentUser } from '../app/page-user.ts'
import { RecordFormFrame } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Field } from '../ui/Field.tsx'
import { formatAllowance, formatVerdict } from './username-verdict.ts'

const ownProfile = { params: { profileId: 'me' } }

/** The user's display name and username: read first, edited on request. */
export function ProfilePage() {
  const profile = useQuery(query(getProfile, ownProfile))
  const { isEditing, setEditing } = useEditing()
  return (
    <div>
      <AccountHead />
      <div className="cols">
        <Card
          title="About you"
          action={
            !isEditing && (
              <Button isSmall disabled={!profile.data} onClick={() => setEditing(true)}>
                <Pencil size={14} /> Edit
              </Button>
            )
          }
        >
          <div className="px-4 pb-[18px] sm:px-[18px]">
            {profile.error && (
              <ErrorCard
                failure={toFailure(profile.error, 'load your profile')}
                onRetry={() => void profile.refetch()}
              />
            )}
            {profile.data && isEditing && <ProfileForm profile={profile.data} onClose={() => setEditing(false)} />}
            {!profile.error && !(profile.data && isEditing) && <ProfileView />}
          </div>
        </Card>
        <PictureCard />
      </div>
    </div>
  )
}

/** `edit=true` in the URL, so that a sign-in in between returns to the form and its draft. */
function useEditing() {
  const { edit } = useSearch({ strict: false }) as { edit?: unknown }
  const navigate = useNavigate()
  const setEditing = (isEditing: boolean) =>
    void navigate({ to: '.', search: (isEditing ? { edit: 'true' } : {}) as never, replace: true, resetScroll: false })
  return { isEditing: edit === 'true', setEditing }
}

/** What others see, and what only an administrator can change: known without a request of its own. */
function ProfileView() {
  const user = useCurrentUser()
  const { sub = '', name, preferred_username: username, email } = user?.claims ?? {}
  const fields = [
    ['Display name', name],
    ['Username', username],
    ['Email', email],
    ['Organisations', user?.orgs.map(({ name }) => name).join(', ')],
  ]
  return (
    <dl className="grid gap-x-6 gap-y-3.5 sm:grid-cols-2">
      {fields.map(([label, value]) => (
        <div key={label} className="min-w-0">
          <dt className="text-[13px] text-ink3">{label}</dt>
          <dd className="break-words">{value || '–'}</dd>
        </div>
      ))}
      <div className="min-w-0">
        <dt className="text-[13px] text-ink3">ID</dt>
        <dd className="-my-1.5 flex items-center gap-1">
          <code className="truncate font-mono text-[12.5px]">{sub}</code>
          <CopyButton text={sub} label="Copy your ID" />
        </dd>
      </div>
    </dl>
  )
}

/** The picture of the user as others see it. */
function PictureCard() {
  const { sub = '', name, preferred_username: username } = useCurrentUser()?.claims ?? {}
  return (
    <Card title="Picture">
      <div className="flex items-center gap-4 px-4 pb-[18px] sm:px-[18px]">
        <Avatar id={sub} name={name ?? username ?? ''} size={88} />
        <p className="text-ink2">Your initials, on a colour of your own. It follows your display name.</p>
      </div>
    </Card>
  )
}

const toSaved = ({ displayname, username, version }: Profile) => ({
  values: { displayname: displayname ?? '', username: username ?? '' },
  version,
})

function ProfileForm({ profile, onClose }: { profile: Profile; onClose: () => void }) {
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
      onClose()
    },
  })
  const typed = record.form.watch('username')
  const { hint, fault, isAllowed: canChange } = useUsername(typed, profile.username)
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
        hint={
          // Its line is reserved: the save bar below must not move under the pointer.
          <span role="status" className="block min-h-5">
            {hint}
          </span>
        }
        error={record.errorOf('username') ?? fault}
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
  const verdict = isCurrent && typed.trim() !== '' ? formatVerdict(data) : ''
  const isFault = isCurrent && verdict !== '' && (data.verdict === 'taken' || data.verdict === 'invalid')
  return {
    hint: [verdict, allowanceText].filter(Boolean).join(' '),
    /** Why the typed username cannot be saved. */
    fault: isFault ? verdict : undefined,
    isAllowed: current === null || !data || data.nextChangeAt === null,
  }
}
