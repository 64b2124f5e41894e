import { checkUsername, getProfile, type Profile, putProfile } from '@passport/contract/profile'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Pencil } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { AccountHead } from '../app/AccountHead.tsx'
import { call, query, toFailure } from '../app/api.ts'
import { currentUserQuery } from '../app/current-user.ts'
import { reportSuccess } from '../app/messages.ts'
import { useCurrentUser } from '../app/page-user.ts'
import { useEditing } from '../directory/editing.tsx'
import { EditCard } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Field } from '../ui/Field.tsx'
import { FileDrop } from './FileDrop.tsx'
import type { NewFile } from './FileInput.tsx'
import { ModelCard } from './ModelCard.tsx'
import { NoticesCard } from './NoticesCard.tsx'
import { PictureCard } from './PictureCard.tsx'
import { formatAllowance, formatVerdict } from './username-verdict.ts'

const ownProfile = { params: { profileId: 'me' } }

/** The user's picture and 3D avatar, and their display name and username: read first, edited on request. */
export function ProfilePage() {
  const profile = useQuery(query(getProfile, ownProfile))
  const { isEditing, open, close } = useEditing()
  const { sub = '', name, preferred_username: username } = useCurrentUser()?.claims ?? {}
  const user = { id: sub, name: name ?? username ?? 'Account' }
  const [picture, setPicture] = useState<NewFile>()
  const [model, setModel] = useState<NewFile>()
  const shown = { avatar: profile.data?.avatar ?? null, isLoaded: profile.data !== undefined }
  return (
    <div>
      <AccountHead />
      <FileDrop onPicture={setPicture} onModel={setModel} />
      <div className="cols">
        <div className="grid gap-4">
          {profile.error && !profile.data && (
            <ErrorCard failure={toFailure(profile.error, 'load your profile')} onRetry={() => void profile.refetch()} />
          )}
          {profile.data && isEditing ? (
            <ProfileForm profile={profile.data} onClose={close} />
          ) : (
            <AboutCard profile={profile.data} onEdit={open} />
          )}
          <PictureCard user={user} {...shown} open={picture} onOpen={setPicture} />
          <NoticesCard />
        </div>
        <ModelCard name={user.name} {...shown} open={model} onOpen={setModel} />
      </div>
    </div>
  )
}

/** Mostly claims of the current user, which need no request. */
function AboutCard({ profile, onEdit }: { profile: Profile | undefined; onEdit: () => void }) {
  const { sub = '', idp_name: idpName, name, preferred_username: username, email } = useCurrentUser()?.claims ?? {}
  const fields = [
    ['Display name', name],
    ['Username', username],
    ['Email', email],
    ['Signed in with', idpName],
    ['Member since', profile && dayFormat.format(new Date(profile.createdAt))],
  ]
  return (
    <Card
      title="About you"
      action={
        <Button isSmall disabled={!profile} onClick={onEdit}>
          <Pencil size={14} aria-hidden="true" /> Edit
        </Button>
      }
    >
      <dl className="pb-1.5">
        {fields.map(([label, value]) => (
          <Fact key={label} label={label}>
            <dd className="min-w-0 break-words">{value || '–'}</dd>
          </Fact>
        ))}
        <Fact label="ID">
          <dd className="flex min-w-0 items-center gap-1">
            <code className="truncate font-mono text-[12.5px]">{sub}</code>
            <CopyButton text={sub} label="Copy your ID" />
          </dd>
        </Fact>
      </dl>
    </Card>
  )
}

const Fact = ({ label, children }: { label: string | undefined; children: ReactNode }) => (
  <div className="grid min-h-[46px] grid-cols-[108px_minmax(0,1fr)] items-center border-t border-hair px-4 py-1.5 first:border-0 sm:grid-cols-[160px_minmax(0,1fr)] sm:px-[18px]">
    <dt className="text-[13px] text-ink3">{label}</dt>
    {children}
  </div>
)

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })

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
  const { hint, error, canChange } = useUsernameCheck(typed, profile.username)
  return (
    <EditCard
      record={record}
      recordLabel="your profile"
      title="Edit profile"
      isBlocked={error !== undefined}
      onClose={onClose}
    >
      <Field
        label="Display name"
        autoComplete="name"
        hint="Letters of any script are allowed."
        error={record.errorOf('displayname')}
        {...record.form.register('displayname', { setValueAs: normalise })}
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
        error={record.errorOf('username') ?? error}
        {...record.form.register('username', { setValueAs: (text: string) => normalise(text).toLowerCase() })}
      />
    </EditCard>
  )
}

/** Normalises like the server, so that a saved value does not look changed. */
const normalise = (text: string) => text.normalize('NFC').trim()

const pauseMs = 250

/** Checks whether the typed username is available, once typing pauses. */
function useUsernameCheck(typed: string, current: string | null) {
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
  const isError = isCurrent && verdict !== '' && (data.verdict === 'taken' || data.verdict === 'invalid')
  return {
    hint: [verdict, allowanceText].filter(Boolean).join(' '),
    /** The reason why the typed username cannot be saved. */
    error: isError ? verdict : undefined,
    /** Whether the limit of changes allows another one. */
    canChange: current === null || !data || data.nextChangeAt === null,
  }
}
