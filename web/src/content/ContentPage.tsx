import type { ContentSlug, ContentSummary } from '@passport/contract/content'
import { getContent, listContents } from '@passport/contract/content'
import { contentNames } from '@passport/contract/content-names'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { query, toFailure } from '../app/api.ts'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Select } from '../ui/Select.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { introduction } from './built-in.ts'
import { ContentEditor } from './ContentEditor.tsx'
import { parseLocale } from './languages.ts'

const slugs = Object.keys(contentNames) as ContentSlug[]

/** The texts of the installation: the slots, and the editor of the one that `?slug=&locale=` selects. */
export function ContentPage() {
  const search = useSearch({ strict: false }) as { slug?: unknown; locale?: unknown }
  const slug = slugs.find((known) => known === search.slug) ?? 'home.signedOut'
  const locale = parseLocale(String(search.locale ?? '')) ?? 'en'
  const texts = useQuery(query(listContents, {}))
  if (texts.error && !texts.data)
    return (
      <>
        <h1 className="sr-only">Content</h1>
        <ErrorCard failure={toFailure(texts.error, 'load the texts')} onRetry={() => void texts.refetch()} />
      </>
    )
  if (!texts.data) return <Pending />
  const inSlot = texts.data.filter((text) => text.slug === slug)
  return (
    <Selected key={`${slug}/${locale}`} slug={slug} locale={locale} inSlot={inSlot}>
      <SlotList texts={texts.data} selected={slug} />
    </Selected>
  )
}

interface SelectedProps {
  slug: ContentSlug
  locale: string
  inSlot: ContentSummary[]
  children: React.ReactNode
}

/** Loads the selected text unless the slot has none in the language. */
function Selected({ slug, locale, inSlot, children }: SelectedProps) {
  const exists = inSlot.some((text) => text.locale === locale)
  const content = useQuery({
    ...query(getContent, { params: { slug }, query: { locale } }),
    enabled: exists,
  })
  if (exists && content.error && !content.data)
    return (
      <>
        <h1 className="mb-6">Content</h1>
        <ErrorCard failure={toFailure(content.error, 'load the text')} onRetry={() => void content.refetch()} />
      </>
    )
  if (exists && !content.data) return <Pending />
  return (
    <ContentEditor slug={slug} locale={locale} content={exists ? content.data : undefined} inSlot={inSlot}>
      {children}
    </ContentEditor>
  )
}

function Pending() {
  return (
    <>
      <header className="mb-2 min-h-[62px]">
        <h1>Content</h1>
        <p className="mt-1 text-ink2">{introduction}</p>
      </header>
      <div className="card min-h-[620px]">
        <Skeleton label="Loading the text" rows={6} />
      </div>
    </>
  )
}

/** The slots with the state of their texts; a choice of one on a narrow screen. */
function SlotList({ texts, selected }: { texts: ContentSummary[]; selected: ContentSlug }) {
  const navigate = useNavigate()
  return (
    <>
      <div className="min-[768px]:hidden">
        <Select
          label="Place"
          value={selected}
          options={slugs.map((slug) => ({ value: slug, label: contentNames[slug].name }))}
          onChange={({ target }) => void navigate({ to: '.', search: { slug: target.value } as never })}
        />
      </div>
      <div className="max-[767px]:hidden">
        <Card title="Texts">
          <ul className="pb-1.5">
            {slugs.map((slug) => (
              <li key={slug} className="border-t border-hair first:border-0">
                <Link
                  to="/admin/content"
                  search={{ slug } as never}
                  aria-current={slug === selected ? 'true' : undefined}
                  className="flex min-h-[46px] flex-wrap items-center justify-between gap-x-3 px-4 py-1 hover:bg-well aria-[current]:bg-selection aria-[current]:font-[600] sm:px-[18px]"
                >
                  {contentNames[slug].name}
                  <SlotState texts={texts.filter((text) => text.slug === slug)} />
                </Link>
              </li>
            ))}
          </ul>
        </Card>
      </div>
    </>
  )
}

function SlotState({ texts }: { texts: ContentSummary[] }) {
  const hasDraft = texts.some(({ status }) => status !== 'published')
  const isPublished = texts.some(({ publishedVersion }) => publishedVersion !== null)
  if (!hasDraft && !isPublished) return null
  const word = hasDraft ? 'Draft' : 'Published'
  return <span className={`text-[13px] font-normal ${hasDraft ? 'text-warn' : 'text-ink3'}`}>{word}</span>
}
