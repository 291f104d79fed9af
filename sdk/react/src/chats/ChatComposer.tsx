import { IconCheck, IconPaperclip, IconSend2, IconX } from '@tabler/icons-react';
import { useEffect, useRef, useState, type ClipboardEvent, type FormEvent, type Ref } from 'react';
import { MessageField } from '../conversation/MessageField.tsx';
import { useServices } from '../core/ParleyProvider.tsx';
import { useAction } from '../core/useAction.ts';
import { usePartyName } from '../people/usePeople.ts';
import { IconButton } from '../ui/Button.tsx';
import { useWords } from '../words/WordsContext.tsx';
import type { Composing } from './chatState.ts';
import classes from './Chats.module.css';
import { createChats } from './ChatsController.ts';
import { messagePreview } from './messagePreview.ts';
import { whyNot } from './whyNot.ts';

interface Props {
  peer: string;
  composing: Composing;
  /** The reply or edit is done, or was given up. */
  onDone: () => void;
  /** The text of a new message that is not sent yet. */
  draft: string;
  setDraft: (text: string) => void;
  /** Files chosen, pasted or dropped, but not sent yet. */
  files: File[];
  setFiles: (files: File[]) => void;
  /** Gets the text field. */
  field: Ref<HTMLTextAreaElement>;
}

const longest = 10_000;

/** The field to write and send messages, with or without files, and to change one. */
export function ChatComposer(props: Props) {
  const { peer, composing, onDone, draft, setDraft, files, setFiles, field } = props;
  const chat = useServices().get(createChats).with(peer);
  const { chats: words, conversation } = useWords();
  const edited = composing?.is === 'edit' ? composing.message : null;
  const [change, setChange] = useState(edited?.content ?? '');
  const [text, setText] = edited ? [change, setChange] : [draft, setDraft];
  const { run, problem } = useAction(chat.edit);
  const chooser = useRef<HTMLInputElement>(null);
  useEffect(() => () => chat.typing(false), [chat]);
  const refused = files.map((file) => whyNot(file, words)).find((why) => why !== null) ?? null;
  const content = text.trim();
  const hasContent = content !== '' || (edited ? edited.media !== null : files.length > 0);
  const canSend = hasContent && refused === null;
  const save = async (message: NonNullable<typeof edited>) => {
    if (content === message.content || (await run(message, content)) !== null) onDone();
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!canSend) return;
    if (edited) return void save(edited);
    const replyTo = composing?.message;
    if (files.length === 0) chat.send(content, undefined, replyTo);
    // The text is the caption of the first file.
    for (const [index, file] of files.entries())
      chat.send(index === 0 ? content : '', file, index === 0 ? replyTo : undefined);
    setText('');
    setFiles([]);
    chat.typing(false);
    onDone();
  };
  const paste = (event: ClipboardEvent) => {
    if (edited || event.clipboardData.files.length === 0) return;
    event.preventDefault();
    setFiles([...files, ...event.clipboardData.files]);
  };
  return (
    <form className={classes['form']} onSubmit={send} noValidate>
      {composing && <About composing={composing} onCancel={onDone} />}
      {!edited && files.length > 0 && (
        <ul className={classes['files']}>
          {files.map((file, index) => (
            <li key={index} className={classes['file']} data-testid="chosen-file">
              <span>{file.name}</span>
              <IconButton
                size="sm"
                label={words.remove(file.name)}
                onClick={() => setFiles(files.filter((each) => each !== file))}
              >
                <IconX size={16} aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      {(refused ?? problem) && (
        <p className={classes['refused']} role="alert" data-testid="file-refused">
          {refused ?? `${problem?.title}. ${problem?.advice}`}
        </p>
      )}
      <div className={classes['compose']}>
        {!edited && (
          <>
            <input
              ref={chooser}
              type="file"
              hidden
              multiple
              onChange={({ currentTarget }) => {
                setFiles([...files, ...(currentTarget.files ?? [])]);
                currentTarget.value = '';
              }}
              data-testid="file"
            />
            <IconButton
              variant="outline"
              className={classes['square']}
              label={words.attach}
              title={words.attach}
              onClick={() => chooser.current?.click()}
              data-testid="attach"
            >
              <IconPaperclip size={18} aria-hidden />
            </IconButton>
          </>
        )}
        <MessageField
          value={text}
          onChange={(value) => {
            setText(value);
            if (!edited) chat.typing(value !== '');
          }}
          longest={longest}
          isSentByEnter
          field={field}
          onPaste={paste}
          onKeyDown={({ key }) => composing && key === 'Escape' && onDone()}
          testId="compose"
        />
        <IconButton
          type="submit"
          variant="filled"
          className={classes['square']}
          label={edited ? words.saveEdit : conversation.send}
          title={words.sendHint}
          disabled={!canSend}
          data-testid="send"
        >
          {edited ? (
            <IconCheck size={18} aria-hidden />
          ) : (
            <IconSend2 size={18} aria-hidden data-parley-pointing />
          )}
        </IconButton>
      </div>
    </form>
  );
}

interface AboutProps {
  composing: NonNullable<Composing>;
  onCancel: () => void;
}

/** Says which message is replied to or changed. */
function About({ composing: { is, message }, onCancel }: AboutProps) {
  const words = useWords();
  const name = usePartyName(message.from);
  const isEdit = is === 'edit';
  return (
    <div className={classes['about']} data-testid={`composing-${is}`}>
      <div className={classes['aboutText']}>
        <strong>{isEdit ? words.chats.editing : words.chats.replyingTo(name)}</strong>
        <span>{messagePreview(message, '', words)}</span>
      </div>
      <IconButton
        size="sm"
        label={isEdit ? words.chats.cancelEdit : words.chats.cancelReply}
        onClick={onCancel}
      >
        <IconX size={16} aria-hidden />
      </IconButton>
    </div>
  );
}
