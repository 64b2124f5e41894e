import {
  type Content,
  type ContentFields,
  type ContentSlug,
  type ContentSummary,
  deleteContent,
  getContent,
  listContents,
  listContentVersions,
  publishContent,
  putContent,
  restoreContent,
  revertContent,
} from '@passport/contract/content'
import { contentNames } from '@passport/contract/content-names'
import { Pencil } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { call } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { keep, useKept } from '../app/use-kept.ts'
import { PageMenu } from '../directory/PageMenu.tsx'
import { FormFrame } from '../directory/RecordFormFrame.tsx'
import { type Saved, useRecordForm } from '../directory/record-form.ts'
import { useCopyAsConfig } from '../directory/use-copy-as-config.tsx'
import { useDeleteRecord } from '../directory/use-delete-record.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Field } from '../ui/Field.tsx'
import { Status } from '../ui/Status.tsx'
import { TextArea } from '../ui/TextArea.tsx'
import { findBuiltIn, introduction } from './built-in.ts'
import { HistoryCard } from './HistoryCard.tsx'
import { LocalePicker } from './LocalePicker.tsx'
import { nameLocale } from './languages.ts'
import { PreviewCard } from './PreviewCard.tsx'

const maxBytes = 65_536
const encoder = new TextEncoder()
const labels = { title: 'Title', body: 'Text' }
const toSaved = (content: Content | undefined) => ({
  values: { title: content?.title ?? '', body: content?.body ?? '' },
  ...(content && { version: content.revision, record: content }),
})

interface ContentEditorProps {
  slug: ContentSlug
  locale: string
  /** The text; undefined if the slot has none in this language. */
  content: Content | undefined
  /** The texts of the slot in all languages. */
  inSlot: ContentSummary[]
  /** The list of slots. */
  children: ReactNode
}

/** The editor of a text with its preview and its history. */
export function ContentEditor({ slug, locale, content, inSlot, children }: ContentEditorProps) {
  const key = `${slug}/${locale}`
  const at = { params: { slug }, query: { locale } }
  const name = `${contentNames[slug].name} (${locale})`
  const keptName = `content:${key}`
  const [kept] = useKept<{ values: ContentFields; base: Saved<ContentFields, Content> }>(keptName)
  const [saved, setSaved] = useState(() => kept?.base ?? toSaved(content))
  const [isPublishing, setPublishing] = useState(false)
  const isToPublish = useRef(false)
  /** The version to restore once the user agrees to lose the unsaved input. */
  const [asked, setAsked] = useState<number>()
  const { deleteItem, dialog } = useDeleteRecord()

  const record = useRecordForm({
    saved,
    labels,
    save: async (values, { ifMatch }, content: Content | undefined) => {
      try {
        const body = { ...content, ...values }
        const stored = await call(putContent, { ...at, body }, ifMatch ? { ifMatch } : { ifNoneMatch: '*' })
        return { version: stored.revision, record: stored }
      } catch (error) {
        isToPublish.current = false
        throw error
      }
    },
    reload: async () => toSaved(await call(getContent, at)),
    onSaved: (response) => {
      const { record: stored } = response as { record: Content }
      keep(keptName, undefined)
      if (isToPublish.current) void publish(stored)
      else {
        show(stored)
        reportSuccess('Draft saved')
      }
      isToPublish.current = false
    },
  })
  const { form, isDirty } = record
  const values = form.watch()
  const builtIn = findBuiltIn(slug, locale, inSlot)

  useEffect(() => setSaved(toSaved(content)), [content])
  // Input that was not saved is on the page again, against the version that it was typed into.
  useEffect(() => {
    for (const field of ['title', 'body'] as const)
      if (kept && kept.values[field] !== kept.base.values[field])
        form.setValue(field, kept.values[field], { shouldDirty: true })
  }, [form, kept])
  useEffect(() => {
    keep(keptName, record.hasChanges() ? { values, base: record.base() } : undefined)
  })
  // Another text keeps the input; a user who leaves the page has been asked.
  useEffect(
    () => () => {
      if (!location.pathname.endsWith('/admin/content')) keep(keptName, undefined)
    },
    [keptName],
  )

  async function publish({ version, revision }: Pick<Content, 'version' | 'revision'>) {
    setPublishing(true)
    try {
      show(await call(publishContent, { ...at, body: { version } }, { ifMatch: `"${revision}"` }))
      reportSuccess('Published')
    } catch (error) {
      reportFailure('publish the text', error)
      refresh()
    }
    setPublishing(false)
  }

  /** Makes a version the draft; the published one discards the draft instead. */
  async function restore(version: number) {
    try {
      const options = content ? { ifMatch: `"${content.revision}"` } : {}
      const reverted = await call(revertContent, { ...at, body: { version } }, options)
      form.reset({ title: reverted.title, body: reverted.body })
      show(reverted)
      reportSuccess(
        version === content?.publishedVersion ? 'Draft discarded' : `Version ${version} restored as a draft`,
      )
    } catch (error) {
      reportFailure('restore the version', error)
      refresh()
    }
  }

  /** Shows a text that the server returned, and reads the rest again. */
  function show(text: Content) {
    queryClient.setQueryData([getContent.path, at], text)
    refresh()
  }

  function start({ title, body }: ContentFields) {
    form.setValue('title', title, { shouldDirty: true })
    form.setValue('body', body, { shouldDirty: true })
    form.setFocus('body')
  }

  function discard() {
    keep(keptName, undefined)
    record.discard()
  }

  const copyConfig = useCopyAsConfig(content && { content })
  const _path = getContent.path.replace('{slug}', slug)
  const hasDraft = content !== undefined && content.status !== 'published'
  const bytes = encoder.encode(values.body).length
  return (
    <>
      <FormFrame record={record} recordLabel="this text">
        <header className="mb-2 flex flex-wrap items-center justify-between gap-3">
          <div className="min-w-0">
            <h1>Content</h1>
            <p className="mt-1 text-ink2">{introduction}</p>
          </div>
          <div className="flex flex-wrap items-center gap-2">
            <span className="mr-2">
              <ContentState content={content} builtIn={builtIn.text} />
            </span>
            {content?.status === 'changed' && !isDirty && (
              <Button onClick={() => void restore(content.publishedVersion ?? 0)}>Discard draft</Button>
            )}
            <Button
              variant="primary"
              isBusy={isPublishing}
              disabled={!isDirty && !hasDraft}
              onClick={() => {
                if (!isDirty) return content && void publish(content)
                isToPublish.current = true
                record.submit()
              }}
            >
              Publish
            </Button>
            <PageMenu
              copyConfig={copyConfig}
              items={[
                ...(content
                  ? [
                      deleteItem({
                        kind: 'text',
                        name,
                        consequence:
                          locale === 'en'
                            ? 'Readers without a text in their language get the built-in text.'
                            : 'Readers get the text in English or, without one, the built-in text.',
                        list: '/admin/content',
                        affectsRoles: false,
                        remove: () =>
                          call(deleteContent, at, { ifMatch: `"${content.revision}"` }).then(() =>
                            keep(keptName, undefined),
                          ),
                        restore: () => call(restoreContent, at),
                      }),
                    ]
                  : []),
              ]}
            />
          </div>
        </header>
        <div className="grid items-start gap-4 grid-cols-[minmax(0,1fr)] min-[768px]:grid-cols-[208px_minmax(0,1fr)] min-[1100px]:grid-cols-[208px_minmax(0,1fr)_minmax(0,1fr)]">
          <div className="min-[768px]:max-[1099px]:row-span-2">{children}</div>
          <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4">
            <Card
              title={contentNames[slug].name}
              description={contentNames[slug].place}
              action={<LocalePicker slug={slug} locale={locale} inSlot={inSlot} />}
            >
              <div className="grid gap-4 px-4 pt-1 pb-[18px] sm:px-[18px]">
                <Field
                  label={labels.title}
                  autoComplete="off"
                  placeholder={builtIn.title ?? 'Optional'}
                  error={record.errorOf('title')}
                  {...form.register('title')}
                />
                <TextArea
                  label={labels.body}
                  rows={Math.min(20, Math.max(10, values.body.split('\n').length + 1))}
                  className="font-mono text-[13px] leading-relaxed"
                  lang={locale}
                  dir="auto"
                  placeholder={builtIn.text ?? 'Write the text that is shown here.'}
                  error={record.errorOf('body')}
                  hint={
                    <span className={bytes > maxBytes ? 'text-bad' : undefined}>
                      Markdown
                      {bytes > maxBytes / 2 &&
                        `, ${bytes.toLocaleString('en-GB')} of ${maxBytes.toLocaleString('en-GB')} bytes`}
                    </span>
                  }
                  {...form.register('body')}
                />
                {record.failure && <ErrorCard failure={record.failure} />}
              </div>
              {!content && !isDirty && builtIn.start && (
                <div className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-3 sm:px-[18px]">
                  <p className="mr-auto text-ink2">Users see the built-in text.</p>
                  <Button onClick={() => builtIn.start && start(builtIn.start)}>
                    <Pencil size={15} />
                    Edit built-in text
                  </Button>
                </div>
              )}
              {(isDirty || record.isSaving) && (
                <div className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-4 py-3 sm:px-[18px]">
                  <span className="mr-auto">
                    <Status tone="warn">Unsaved changes</Status>
                  </span>
                  <Button onClick={discard} disabled={record.isSaving}>
                    Discard
                  </Button>
                  <Button type="submit" isBusy={record.isSaving} aria-keyshortcuts="Meta+S Control+S">
                    Save draft
                  </Button>
                </div>
              )}
            </Card>
          </div>
          <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4">
            <PreviewCard slug={slug} locale={locale} fields={values} builtIn={builtIn} />
            {content && (
              <HistoryCard
                content={content}
                current={values}
                onRestore={(version) => (isDirty ? setAsked(version) : void restore(version))}
              />
            )}
          </div>
        </div>
      </FormFrame>
      <Confirm
        isOpen={asked !== undefined}
        title={`Restore version ${asked}?`}
        action="Restore"
        variant="primary"
        onConfirm={() => {
          setAsked(undefined)
          if (asked !== undefined) void restore(asked)
        }}
        onClose={() => setAsked(undefined)}
      >
        Your unsaved changes will be lost.
      </Confirm>
      {/* It has a form of its own. */}
      {dialog}
    </>
  )
}

function refresh() {
  for (const endpoint of [listContents, getContent, listContentVersions])
    void queryClient.invalidateQueries({ queryKey: [endpoint.path] })
}

function ContentState({ content, builtIn }: { content: Content | undefined; builtIn: string | undefined }) {
  if (!content) return <Status tone="off">{builtIn ? 'Built in' : 'Not shown'}</Status>
  if (content.status === 'draft') return <Status tone="waiting">Unpublished draft</Status>
  if (content.status === 'changed') return <Status tone="warn">Unpublished changes</Status>
  return <Status tone="ok">Published in {nameLocale(content.locale)}</Status>
}
