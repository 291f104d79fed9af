SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA drizzle;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE drizzle.__drizzle_migrations (
    id integer NOT NULL,
    hash text NOT NULL,
    created_at bigint
);
CREATE SEQUENCE drizzle.__drizzle_migrations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE drizzle.__drizzle_migrations_id_seq OWNED BY drizzle.__drizzle_migrations.id;
CREATE TABLE public.accounts (
    id text NOT NULL,
    wallet text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    wallet_linked_at timestamp(3) with time zone,
    email text,
    credits bigint DEFAULT 0 NOT NULL,
    reserved bigint DEFAULT 0 NOT NULL,
    credits_updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    publishable_key text DEFAULT ('pk_live_'::text || replace((gen_random_uuid())::text, '-'::text, ''::text)) NOT NULL,
    CONSTRAINT accounts_credits_check CHECK ((credits >= 0)),
    CONSTRAINT accounts_reserved_check CHECK ((reserved >= 0))
);
CREATE TABLE public.api_keys (
    id text NOT NULL,
    seq bigint NOT NULL,
    account_id text NOT NULL,
    name text NOT NULL,
    hash text NOT NULL,
    prefix text NOT NULL,
    last4 text NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    created_by text NOT NULL,
    expires_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone,
    last_used_ip text,
    revoked_at timestamp(3) with time zone,
    revoked_by text
);
ALTER TABLE public.api_keys ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.api_keys_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.audit_log (
    id text NOT NULL,
    seq bigint NOT NULL,
    account_id text,
    at timestamp(3) with time zone NOT NULL,
    actor_type text NOT NULL,
    actor_id text,
    actor_prefix text,
    actor_payer text,
    action text NOT NULL,
    method text,
    path text,
    status integer,
    request_id text,
    ip text,
    user_agent text,
    service text,
    units integer,
    credits integer
);
ALTER TABLE public.audit_log ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_log_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.blocks (
    wallet text NOT NULL,
    blocked text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.calls (
    id text NOT NULL,
    caller text NOT NULL,
    callee text NOT NULL,
    type text NOT NULL,
    status text NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    answered_at timestamp(3) with time zone,
    ended_at timestamp(3) with time zone,
    end_reason text,
    hidden boolean DEFAULT false NOT NULL,
    caller_socket text,
    callee_socket text,
    caller_node text,
    callee_node text,
    recorded_by text,
    revision integer DEFAULT 0 NOT NULL,
    moved_to text
);
CREATE TABLE public.conversation_members (
    wallet text NOT NULL,
    conversation text NOT NULL,
    peer text NOT NULL,
    delivered_until timestamp(3) with time zone,
    read_until timestamp(3) with time zone,
    indexed_until timestamp(3) with time zone
);
CREATE TABLE public.conversations (
    id text NOT NULL,
    messages bigint NOT NULL,
    latest_at timestamp(3) with time zone NOT NULL
);
CREATE TABLE public.due (
    kind text NOT NULL,
    subject text NOT NULL,
    due_at timestamp(3) with time zone NOT NULL,
    payload jsonb NOT NULL,
    lease_until timestamp(3) with time zone,
    attempts integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.esim_orders (
    id text NOT NULL,
    seq bigint NOT NULL,
    account_id text,
    charge_id text NOT NULL,
    provider text NOT NULL,
    package_id text NOT NULL,
    quantity integer NOT NULL,
    credits integer NOT NULL,
    status text NOT NULL,
    error_code text,
    error_message text,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.esim_orders ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.esim_orders_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.esim_profiles (
    id text NOT NULL,
    order_id text NOT NULL,
    "position" integer NOT NULL,
    sealed bytea NOT NULL
);
CREATE TABLE public.file_usage (
    holder text NOT NULL,
    bytes bigint NOT NULL
);
CREATE TABLE public.files (
    id text NOT NULL,
    wallet text NOT NULL,
    name text,
    size bigint,
    received integer DEFAULT 0 NOT NULL,
    parts jsonb DEFAULT '[]'::jsonb NOT NULL,
    object_key text,
    thumbnail_key text,
    kind text,
    mime_type text,
    width integer,
    height integer,
    duration double precision,
    finishing_until timestamp(3) with time zone,
    attached_at timestamp(3) with time zone,
    discarded_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    counted_bytes bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.handed_parts (
    carrier text NOT NULL,
    submission_id text NOT NULL,
    part integer NOT NULL,
    total integer NOT NULL,
    recipient text NOT NULL,
    mark integer NOT NULL,
    reference text,
    at timestamp(3) with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.idempotency_keys (
    account_id text NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    key text NOT NULL,
    body_hash text NOT NULL,
    reservation_id text,
    lease_until timestamp(3) with time zone NOT NULL,
    status integer,
    answer bytea,
    expires_at timestamp(3) with time zone NOT NULL,
    node_id text
);
CREATE TABLE public.identities (
    id text NOT NULL,
    account_id text,
    issuer text NOT NULL,
    subject text NOT NULL,
    email text,
    linked_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    unlinked_at timestamp(3) with time zone
);
CREATE TABLE public.installation (
    id smallint NOT NULL,
    key_fingerprint text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.leak_breaches (
    id integer NOT NULL,
    source text NOT NULL,
    title text NOT NULL,
    domain text,
    breach_date text,
    data_classes text[] NOT NULL,
    verified boolean NOT NULL,
    records bigint
);
ALTER TABLE public.leak_breaches ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.leak_breaches_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.leak_entries (
    hash bytea NOT NULL,
    breach_id integer NOT NULL
);
CREATE TABLE public.leak_imports (
    fingerprint text NOT NULL,
    file text NOT NULL,
    records bigint NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    finished_at timestamp(3) with time zone
);
CREATE TABLE public.leak_passwords (
    sha1 bytea NOT NULL,
    count bigint NOT NULL
);
CREATE TABLE public.leak_quotas (
    account_id text NOT NULL,
    period_start timestamp(3) with time zone NOT NULL,
    used integer NOT NULL
);
CREATE TABLE public.ledger (
    id text NOT NULL,
    seq bigint NOT NULL,
    account_id text NOT NULL,
    type text NOT NULL,
    service text NOT NULL,
    amount bigint NOT NULL,
    balance_after bigint NOT NULL,
    description text NOT NULL,
    reference_type text NOT NULL,
    reference_id text NOT NULL,
    api_key_prefix text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ledger_amount_check CHECK ((amount > 0))
);
ALTER TABLE public.ledger ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.ledger_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.loopback_texts (
    id text NOT NULL,
    sender text NOT NULL,
    recipient text NOT NULL,
    text text NOT NULL,
    media_urls jsonb NOT NULL,
    segments integer NOT NULL,
    accepted_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    delivered_at timestamp(3) with time zone
);
CREATE TABLE public.message_parts (
    carrier text NOT NULL,
    reference text NOT NULL,
    message_id text,
    state text NOT NULL,
    error_code text,
    error_message text,
    at timestamp(3) with time zone NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.message_words (
    wallet text NOT NULL,
    sent_at timestamp(3) with time zone NOT NULL,
    message text NOT NULL,
    words tsvector NOT NULL
);
CREATE TABLE public.messages (
    id text NOT NULL,
    seq bigint NOT NULL,
    account_id text,
    payer text,
    payment_id text,
    thread_id text,
    direction text NOT NULL,
    number text NOT NULL,
    number_id text,
    counterparty text NOT NULL,
    text text NOT NULL,
    is_secret boolean DEFAULT false NOT NULL,
    media jsonb NOT NULL,
    status text NOT NULL,
    segments integer NOT NULL,
    encoding text NOT NULL,
    credits integer NOT NULL,
    reservation_id text,
    carrier text NOT NULL,
    carrier_reference text,
    attempts integer DEFAULT 0 NOT NULL,
    submitting_until timestamp(3) with time zone,
    error_code text,
    error_message text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    sent_at timestamp(3) with time zone,
    delivered_at timestamp(3) with time zone
);
ALTER TABLE public.messages ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.messages_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.nodes (
    id text NOT NULL,
    roles text[] NOT NULL,
    address text,
    load real DEFAULT 0 NOT NULL,
    draining boolean DEFAULT false NOT NULL,
    started_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    seen_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    died_at timestamp(3) with time zone
);
CREATE TABLE public.notification_preferences (
    wallet text NOT NULL,
    calls boolean DEFAULT true NOT NULL,
    messages boolean DEFAULT true NOT NULL,
    voicemails boolean DEFAULT true NOT NULL,
    conference_invites boolean DEFAULT true NOT NULL
);
CREATE TABLE public.number_orders (
    id text NOT NULL,
    account_id text NOT NULL,
    reservation_id text NOT NULL,
    status text NOT NULL,
    offer jsonb NOT NULL,
    number_id text NOT NULL,
    credits integer NOT NULL,
    attempts integer DEFAULT 1 NOT NULL,
    buying_until timestamp(3) with time zone NOT NULL,
    error_code text,
    error_message text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.opt_outs (
    sender text NOT NULL,
    recipient text NOT NULL,
    at timestamp(3) with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.participant_tokens (
    id text NOT NULL,
    hash text NOT NULL,
    subject_id text NOT NULL,
    identity text NOT NULL,
    display_name text,
    role text NOT NULL,
    grants jsonb NOT NULL,
    metadata text,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    revoked_at timestamp(3) with time zone
);
CREATE TABLE public.payments (
    id text NOT NULL,
    seq bigint NOT NULL,
    account_id text NOT NULL,
    kind text NOT NULL,
    status text NOT NULL,
    amount_cents integer NOT NULL,
    credits integer NOT NULL,
    credits_reversed integer DEFAULT 0 NOT NULL,
    credits_taken_back integer DEFAULT 0 NOT NULL,
    description text NOT NULL,
    checkout_id text,
    invoice_id text,
    payment_intent_id text,
    charge_synced_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    paid_at timestamp(3) with time zone
);
ALTER TABLE public.payments ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.payments_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.phone_numbers (
    id text NOT NULL,
    seq bigint NOT NULL,
    account_id text NOT NULL,
    phone_number text NOT NULL,
    country text NOT NULL,
    region text,
    type text NOT NULL,
    capabilities jsonb NOT NULL,
    status text NOT NULL,
    monthly_credits integer NOT NULL,
    auto_renew boolean NOT NULL,
    carrier text NOT NULL,
    carrier_reference text,
    purchased_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    released_at timestamp(3) with time zone
);
ALTER TABLE public.phone_numbers ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.phone_numbers_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.pool_assignments (
    number text NOT NULL,
    counterparty text NOT NULL,
    account_id text,
    used_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.profiles (
    wallet text NOT NULL,
    name text,
    avatar_file text
);
CREATE TABLE public.push_presence (
    socket_id text NOT NULL,
    wallet text NOT NULL,
    node_id text NOT NULL
);
CREATE TABLE public.push_subscriptions (
    id text NOT NULL,
    wallet text NOT NULL,
    session_id text NOT NULL,
    service text NOT NULL,
    address text NOT NULL,
    p256dh text,
    auth text,
    mode text,
    renewed_at timestamp(3) with time zone NOT NULL
);
CREATE TABLE public.recording_files (
    recording_id text NOT NULL,
    file_id text NOT NULL,
    wallet text NOT NULL,
    start_seconds double precision NOT NULL,
    is_screen boolean DEFAULT false NOT NULL
);
CREATE TABLE public.recording_parts (
    id text NOT NULL,
    recording_id text NOT NULL,
    wallet text NOT NULL,
    node text NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    bytes bigint DEFAULT 0 NOT NULL,
    chunks integer DEFAULT 0 NOT NULL,
    is_screen boolean DEFAULT false NOT NULL
);
CREATE TABLE public.recordings (
    id text NOT NULL,
    kind text NOT NULL,
    room_id text NOT NULL,
    host text NOT NULL,
    title text NOT NULL,
    status text NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    ended_at timestamp(3) with time zone,
    end_reason text,
    duration_seconds double precision,
    size_bytes bigint,
    held_by text,
    held_until timestamp(3) with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    discarded_at timestamp(3) with time zone,
    left_out text[] DEFAULT '{}'::text[] NOT NULL
);
CREATE TABLE public.refresh_tokens (
    hash text NOT NULL,
    session_id text NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    used_at timestamp(3) with time zone
);
CREATE TABLE public.reservations (
    id text NOT NULL,
    account_id text NOT NULL,
    service text NOT NULL,
    amount bigint NOT NULL,
    status text NOT NULL,
    inquiry jsonb NOT NULL,
    api_key_prefix text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    settled_at timestamp(3) with time zone
);
CREATE TABLE public.room_chat (
    id text NOT NULL,
    room_id text NOT NULL,
    wallet text NOT NULL,
    display_name text,
    content text NOT NULL,
    sent_at timestamp(3) with time zone NOT NULL
);
CREATE SEQUENCE public.room_epochs
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE public.room_members (
    room_id text NOT NULL,
    wallet text NOT NULL,
    standing text NOT NULL,
    changed_at timestamp(3) with time zone NOT NULL,
    is_invited boolean DEFAULT false NOT NULL,
    role text DEFAULT 'participant'::text NOT NULL,
    participant_id text,
    display_name text,
    joined_at timestamp(3) with time zone,
    socket text,
    node text,
    muted boolean DEFAULT false NOT NULL,
    hand_raised boolean DEFAULT false NOT NULL,
    sending jsonb DEFAULT '[]'::jsonb NOT NULL,
    gate_checked_at timestamp(3) with time zone,
    hushed boolean DEFAULT false NOT NULL,
    revision integer DEFAULT 0 NOT NULL,
    grants jsonb,
    metadata text,
    token_id text,
    moved_to text,
    first_joined_at timestamp(3) with time zone,
    left_at timestamp(3) with time zone,
    past_at timestamp(3) with time zone
);
CREATE TABLE public.room_owners (
    room_id text NOT NULL,
    node_id text NOT NULL,
    epoch bigint DEFAULT nextval('public.room_epochs'::regclass) NOT NULL,
    claimed_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.rooms (
    id text NOT NULL,
    name text NOT NULL,
    host text NOT NULL,
    max_participants integer NOT NULL,
    video boolean NOT NULL,
    audio boolean NOT NULL,
    settings jsonb NOT NULL,
    status text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    started_at timestamp(3) with time zone,
    ended_at timestamp(3) with time zone,
    end_reason text,
    network text NOT NULL,
    gate jsonb,
    recorded_by text,
    parent_id text,
    breakouts_end_at timestamp(3) with time zone,
    starts_at timestamp(3) with time zone
);
CREATE TABLE public.saved_contacts (
    wallet text NOT NULL,
    contact text NOT NULL,
    name text NOT NULL
);
CREATE TABLE public.sessions (
    id text NOT NULL,
    account_id text NOT NULL,
    wallet text,
    audience text NOT NULL,
    network text NOT NULL,
    chain_id integer NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    ended_at timestamp(3) with time zone,
    identity_id text,
    wallet_evidence jsonb
);
CREATE TABLE public.smpp_inbound_parts (
    sender text NOT NULL,
    recipient text NOT NULL,
    reference integer NOT NULL,
    total integer NOT NULL,
    part integer NOT NULL,
    text_id uuid NOT NULL,
    units text NOT NULL,
    received_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.smpp_inbound_texts (
    id uuid NOT NULL,
    digest text NOT NULL,
    connection uuid NOT NULL,
    received_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.stock_numbers (
    carrier text NOT NULL,
    phone_number text NOT NULL,
    order_id text NOT NULL,
    sold_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.stream_bans (
    stream_id text NOT NULL,
    wallet text NOT NULL,
    banned_at timestamp(3) with time zone NOT NULL
);
CREATE TABLE public.stream_chat (
    id text NOT NULL,
    stream_id text NOT NULL,
    wallet text NOT NULL,
    display_name text,
    content text NOT NULL,
    sent_at timestamp(3) with time zone NOT NULL
);
CREATE TABLE public.stream_watchings (
    stream_id text NOT NULL,
    id text NOT NULL,
    viewer text NOT NULL,
    wallet text,
    display_name text,
    via text NOT NULL,
    joined_at timestamp(3) with time zone NOT NULL,
    socket text,
    node text,
    seen_at timestamp(3) with time zone NOT NULL,
    gate_checked_at timestamp(3) with time zone,
    can_chat boolean,
    token_id text
);
CREATE TABLE public.streams (
    id text NOT NULL,
    title text NOT NULL,
    description text NOT NULL,
    host text NOT NULL,
    network text NOT NULL,
    is_public boolean NOT NULL,
    gate jsonb,
    record boolean NOT NULL,
    key_hash text NOT NULL,
    key_sealed bytea NOT NULL,
    status text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    started_at timestamp(3) with time zone,
    ended_at timestamp(3) with time zone,
    end_reason text,
    publisher text,
    published_by text,
    publisher_socket text,
    publisher_node text,
    is_sending boolean DEFAULT false NOT NULL,
    viewer_count integer DEFAULT 0 NOT NULL,
    counted_at timestamp(3) with time zone,
    revision integer DEFAULT 0 NOT NULL,
    publisher_token text
);
CREATE TABLE public.stripe_customers (
    account_id text NOT NULL,
    customer_id text NOT NULL
);
CREATE TABLE public.subscriptions (
    account_id text NOT NULL,
    plan_id text NOT NULL,
    status text NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    period integer NOT NULL,
    current_period_start timestamp(3) with time zone NOT NULL,
    current_period_end timestamp(3) with time zone NOT NULL,
    cancel_at_period_end boolean DEFAULT false NOT NULL,
    stripe_subscription_id text,
    synced_at timestamp(3) with time zone
);
CREATE TABLE public.threads (
    id text NOT NULL,
    account_id text NOT NULL,
    number text NOT NULL,
    counterparty text NOT NULL,
    last_message_id text,
    last_seq bigint DEFAULT 0 NOT NULL,
    message_count integer NOT NULL,
    unread_count integer NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.used_nonces (
    nonce text NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);
CREATE TABLE public.verifications (
    id text NOT NULL,
    account_id text,
    charge_id text,
    "to" text NOT NULL,
    channel text NOT NULL,
    code_hash bytea NOT NULL,
    status text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);
CREATE TABLE public.voicemails (
    id text NOT NULL,
    sender text NOT NULL,
    recipient text NOT NULL,
    file_id text NOT NULL,
    status text NOT NULL,
    hidden boolean NOT NULL,
    max_duration integer NOT NULL,
    duration double precision,
    created_at timestamp(3) with time zone NOT NULL,
    read_at timestamp(3) with time zone,
    transcript jsonb,
    transcribing_until timestamp(3) with time zone
);
CREATE TABLE public.wallet_events (
    wallet text NOT NULL,
    sequence bigint NOT NULL,
    event text NOT NULL,
    payload json NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.wallet_messages (
    id text NOT NULL,
    conversation text NOT NULL,
    sender text NOT NULL,
    recipient text NOT NULL,
    type text NOT NULL,
    content text NOT NULL,
    media_id text,
    sent_at timestamp(3) with time zone NOT NULL,
    blocked boolean DEFAULT false NOT NULL,
    hidden_for_sender boolean DEFAULT false NOT NULL,
    hidden_for_recipient boolean DEFAULT false NOT NULL,
    deleted_at timestamp(3) with time zone,
    reactions jsonb DEFAULT '[]'::jsonb NOT NULL,
    reply_to text,
    edited_at timestamp(3) with time zone,
    unseen_edit jsonb
);
CREATE TABLE public.wallet_sequences (
    wallet text NOT NULL,
    latest bigint NOT NULL
);
CREATE TABLE public.webhook_clock (
    id integer NOT NULL,
    position_offset bigint NOT NULL
);
CREATE TABLE public.webhook_deliveries (
    id text NOT NULL,
    seq bigint NOT NULL,
    number_id text,
    account_id text NOT NULL,
    type text NOT NULL,
    body text NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp(3) with time zone,
    delivering_until timestamp(3) with time zone,
    last_attempt_at timestamp(3) with time zone,
    response_status integer,
    response_body text,
    error text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    settled_at timestamp(3) with time zone,
    endpoint_id text,
    event_id text,
    order_key text
);
ALTER TABLE public.webhook_deliveries ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.webhook_deliveries_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.webhook_endpoints (
    id text NOT NULL,
    seq bigint NOT NULL,
    account_id text NOT NULL,
    url text NOT NULL,
    description text NOT NULL,
    events jsonb NOT NULL,
    secret bytea NOT NULL,
    previous_secret bytea,
    previous_secret_until timestamp(3) with time zone,
    disabled_at timestamp(3) with time zone,
    set_by_key text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE public.webhook_endpoints ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.webhook_endpoints_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.webhook_events (
    id text NOT NULL,
    seq bigint NOT NULL,
    account_id text NOT NULL,
    type text NOT NULL,
    subject_id text,
    sequence integer,
    "position" bigint NOT NULL,
    body text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE public.webhook_events ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.webhook_events_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.webhook_sequences (
    account_id text NOT NULL,
    subject_id text NOT NULL,
    last integer NOT NULL,
    "position" bigint NOT NULL,
    changed_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.webhooks (
    number_id text NOT NULL,
    account_id text NOT NULL,
    url text NOT NULL,
    events jsonb NOT NULL,
    secret bytea NOT NULL,
    previous_secret bytea,
    previous_secret_until timestamp(3) with time zone,
    disabled_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    set_by_key text
);
CREATE TABLE public.webrtc_sessions (
    id_hash text NOT NULL,
    kind text NOT NULL,
    stream_id text NOT NULL,
    peer_id text NOT NULL,
    transport_id text NOT NULL,
    etag text NOT NULL,
    mids text[] NOT NULL,
    ice_candidates jsonb NOT NULL,
    seen_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.x402_payments (
    id text NOT NULL,
    seq bigint NOT NULL,
    network text NOT NULL,
    asset text NOT NULL,
    payer text NOT NULL,
    nonce text NOT NULL,
    pay_to text NOT NULL,
    amount bigint NOT NULL,
    service text NOT NULL,
    units integer NOT NULL,
    credits integer NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    request_hash text NOT NULL,
    sender text NOT NULL,
    status text NOT NULL,
    failure text,
    tx text,
    since_block bigint NOT NULL,
    valid_before timestamp(3) with time zone NOT NULL,
    lease_until timestamp(3) with time zone NOT NULL,
    answer_status integer,
    answer bytea,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    settled_at timestamp(3) with time zone,
    expires_at timestamp(3) with time zone NOT NULL,
    node_id text
);
ALTER TABLE public.x402_payments ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.x402_payments_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.x402_settlers (
    chain_id bigint NOT NULL,
    address text NOT NULL,
    owner text NOT NULL,
    lease_until timestamp(3) with time zone NOT NULL,
    next_nonce integer,
    sent_at timestamp(3) with time zone
);
CREATE TABLE public.xmpp_accounts (
    domain text NOT NULL,
    username text NOT NULL,
    account_id text NOT NULL,
    charge_id text NOT NULL,
    number_id text,
    status text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE ONLY drizzle.__drizzle_migrations ALTER COLUMN id SET DEFAULT nextval('drizzle.__drizzle_migrations_id_seq'::regclass);
INSERT INTO drizzle.__drizzle_migrations VALUES (1, '59e9b5972a3fceaeddacfcd4f58bb5e1182e02de0dffef56774d61b5fbba8514', 1795196364429);
INSERT INTO drizzle.__drizzle_migrations VALUES (2, '4a0fd347c09484a5cdf1e6185e982adc64fcf8e193e65a0941fc4421d49cb9d3', 1795224518220);
INSERT INTO drizzle.__drizzle_migrations VALUES (3, 'd9af330689d70e0df306e88a703e3a381067de07108914219f27fa4cf936ab27', 1795228508653);
INSERT INTO drizzle.__drizzle_migrations VALUES (4, '4c5206aef78b4e7bdd8dff60dddcc0cde3edd4054e036c930325f33b6508a488', 1795229909470);
INSERT INTO drizzle.__drizzle_migrations VALUES (5, '486212c588879f6c84592dcd7766280f15385083cd0331a6582c6ad0fb034340', 1795231950782);
INSERT INTO drizzle.__drizzle_migrations VALUES (6, 'f693074f5ceb5ffeaf751554d523f4fb3ed0895ba5d3515ed1642e90e5dc9f41', 1795245000972);
INSERT INTO drizzle.__drizzle_migrations VALUES (7, 'c6360338e032783892f0577d950d78eda715c8683dd5e371a5024f226b0120af', 1795252923038);
INSERT INTO drizzle.__drizzle_migrations VALUES (8, 'bc2f03e0ade925f4e584221d10af4c172d920cfc1fce7974b9d33723932951ba', 1795279188846);
INSERT INTO drizzle.__drizzle_migrations VALUES (9, '951800d698d4b0b46a5dbf1aa5cd649957f7a7912b9f8979729bd1b73a47b345', 1795364528883);
INSERT INTO drizzle.__drizzle_migrations VALUES (10, '70ad012b5e3873a4d4acf354acc9d1d7b487924d6b49da9b4ccf8d2f45c9da3f', 1795387527313);
INSERT INTO drizzle.__drizzle_migrations VALUES (11, '72b1db7f192117079736daa70faceb5d4341ceeabb855779223c3c64679c547d', 1795388754392);
INSERT INTO drizzle.__drizzle_migrations VALUES (12, 'd9ff2061450db0abda77b2ebe84f346cb49ff1ab4a8b8cf2d95691a908ad7ec9', 1795389141765);
INSERT INTO drizzle.__drizzle_migrations VALUES (13, 'e00f4a08cebdcfc96a84460aa3f096216590372939ad989fb260ecfe82d15c99', 1795389619985);
INSERT INTO drizzle.__drizzle_migrations VALUES (14, '4d7398677865b65c907da46fbfa3d255fc5cb9822e5c44849e14002d3658f843', 1795417394030);
INSERT INTO drizzle.__drizzle_migrations VALUES (15, '662e422abbe6b79afe07cd01c328e71b17e85393f9d2bd0d9b12d67c2b109ec8', 1795597537804);
INSERT INTO drizzle.__drizzle_migrations VALUES (16, '9d1adfb363119c1b59272ef896b21c25233136411833d06029e9294d2f32e7f4', 1795642018528);
INSERT INTO drizzle.__drizzle_migrations VALUES (17, '93d9624ecc51a5654e9dce119bc800becb490c8fc61213e0485e65acd8fe1e23', 1795659567521);
INSERT INTO public.accounts VALUES ('acc_fcWyuyoLbo1kI6ChUXbWrps4', '0x4c21DF35252B92D1e679E1d0A7B6d01Afa53aC54', '2026-11-26 11:23:14.16+00', NULL, NULL, 500, 0, '2026-11-26 11:23:14.16+00', 'pk_live_y8IJ0zS75t5IVhObw1en54quYXfqc1WD');
INSERT INTO public.accounts VALUES ('acc_LujdAAiUsxOLXSUl7bCpB4Ra', '0x714daa45784680aA258fc4CE1f773F77102aDEd4', '2026-11-26 11:23:14.028+00', NULL, NULL, 50, 0, '2026-11-26 11:23:14.328+00', 'pk_live_h18NFWjuO17GRzvGBZopK37zRNslI4Pe');
INSERT INTO public.api_keys OVERRIDING SYSTEM VALUE VALUES ('key_Rqx63rGSMthSOCw0AlDSPeuF', 1, 'acc_LujdAAiUsxOLXSUl7bCpB4Ra', 'a key', '19bca5c5f16fca6bced94899f7e61df7a0d3d2d15ad25e7c3b4576366bc9c6d0', 'svc_live_oou1tp', 'hwtv', '{account:read,esim:order}', '2026-11-26 11:23:14.227+00', '0x714daa45784680aA258fc4CE1f773F77102aDEd4', NULL, '2026-11-26 11:23:14.326+00', '127.0.0.1', NULL, NULL);
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES ('aud_c3V8UbS7CURx3sudyCn6M73h', 1, 'acc_LujdAAiUsxOLXSUl7bCpB4Ra', '2026-11-26 11:23:14.044+00', 'system', NULL, NULL, NULL, 'credits.granted', 'POST', '/api/v1/auth/verify', NULL, 'req_3855hhPZbpzS6p5i2RIPvQXD', '127.0.0.1', 'node', NULL, NULL, 500);
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES ('aud_oP0S7C5LN7hsLf767Q5kc0xx', 2, 'acc_LujdAAiUsxOLXSUl7bCpB4Ra', '2026-11-26 11:23:14.057+00', 'session', 'ses_ozZUGHOlbjrGFx7Byd4eHLDN', NULL, NULL, 'session.created', 'POST', '/api/v1/auth/verify', NULL, 'req_3855hhPZbpzS6p5i2RIPvQXD', '127.0.0.1', 'node', NULL, NULL, NULL);
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES ('aud_FwzT2zYqLcVmSRbtukm2L3Cb', 3, 'acc_fcWyuyoLbo1kI6ChUXbWrps4', '2026-11-26 11:23:14.167+00', 'system', NULL, NULL, NULL, 'credits.granted', 'POST', '/api/v1/auth/verify', NULL, 'req_nqlqAhvWkZX258wzuvCYsR0n', '127.0.0.1', 'node', NULL, NULL, 500);
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES ('aud_udDRIrqNNTdwKCycVEdc1zcj', 4, 'acc_fcWyuyoLbo1kI6ChUXbWrps4', '2026-11-26 11:23:14.168+00', 'session', 'ses_475bjvlFSYeFpy9SDQZE8nn0', NULL, NULL, 'session.created', 'POST', '/api/v1/auth/verify', NULL, 'req_nqlqAhvWkZX258wzuvCYsR0n', '127.0.0.1', 'node', NULL, NULL, NULL);
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES ('aud_MXIqNZZaQb0Qxg5dddhuKE96', 5, 'acc_LujdAAiUsxOLXSUl7bCpB4Ra', '2026-11-26 11:23:14.214+00', 'session', 'ses_CLYhkOtd2qnQc8iCQuvco6JD', NULL, NULL, 'session.created', 'POST', '/api/v1/auth/verify', NULL, 'req_7jpaRqmCcbzBppekCwQrnhmS', '127.0.0.1', NULL, NULL, NULL, NULL);
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES ('aud_wkvzh590Gkp3pqcKlDLGWfBr', 6, 'acc_LujdAAiUsxOLXSUl7bCpB4Ra', '2026-11-26 11:23:14.229+00', 'session', 'ses_CLYhkOtd2qnQc8iCQuvco6JD', 'svc_live_oou1tp', NULL, 'api_key.created', 'POST', '/api/v1/api-keys', NULL, 'req_CljEqLABSECe1c2Q4sK2HMMR', '127.0.0.1', NULL, NULL, NULL, NULL);
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES ('aud_bFIcRko3c3X2NLHJAEO6uOnk', 7, 'acc_LujdAAiUsxOLXSUl7bCpB4Ra', '2026-11-26 11:23:14.23+00', 'session', 'ses_CLYhkOtd2qnQc8iCQuvco6JD', NULL, NULL, 'request', 'POST', '/api/v1/api-keys', 201, 'req_CljEqLABSECe1c2Q4sK2HMMR', '127.0.0.1', NULL, 'api-keys', NULL, NULL);
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES ('aud_BYebErk8hSINusKWLdmgoojS', 8, 'acc_LujdAAiUsxOLXSUl7bCpB4Ra', '2026-11-26 11:23:14.344+00', 'api_key', 'key_Rqx63rGSMthSOCw0AlDSPeuF', 'svc_live_oou1tp', NULL, 'request', 'POST', '/api/v1/esim/checkout', 201, 'req_05c8HCg6hv3ImqW1e16S7BxD', '127.0.0.1', NULL, 'esim', 1, 450);
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES ('aud_SdHDtyt0AJlYHDcJdQ1Z2pe3', 9, 'acc_LujdAAiUsxOLXSUl7bCpB4Ra', '2026-11-26 11:23:14.362+00', 'api_key', 'key_Rqx63rGSMthSOCw0AlDSPeuF', 'svc_live_oou1tp', NULL, 'request', 'GET', '/api/v1/esim/orders', 200, 'req_oQAjyoJ4Zwu6a6DpqJcftCP8', '127.0.0.1', NULL, 'esim', NULL, NULL);
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES ('aud_6GfculYVWzIEYPOTBmzmfoOo', 10, 'acc_LujdAAiUsxOLXSUl7bCpB4Ra', '2026-11-26 11:23:14.365+00', 'api_key', 'key_Rqx63rGSMthSOCw0AlDSPeuF', 'svc_live_oou1tp', NULL, 'request', 'GET', '/api/v1/account', 200, 'req_n0q72idkiCkjRsZEWSVQlzGg', '127.0.0.1', NULL, 'account', NULL, NULL);
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES ('aud_BBpKV0sU1yu8PlVIGIo3Fgam', 11, 'acc_LujdAAiUsxOLXSUl7bCpB4Ra', '2026-11-26 11:23:14.38+00', 'api_key', 'key_Rqx63rGSMthSOCw0AlDSPeuF', 'svc_live_oou1tp', NULL, 'request', 'GET', '/api/v1/account/history', 200, 'req_DdHbZ9Sh8IiKoyCxBE9iIO41', '127.0.0.1', NULL, 'account', NULL, NULL);
INSERT INTO public.calls VALUES ('call_CiCvIFbSNUcie5U2xmFmwJ6h', '0x714daa45784680aA258fc4CE1f773F77102aDEd4', '0x4c21DF35252B92D1e679E1d0A7B6d01Afa53aC54', 'audio', 'ended', '2026-11-26 11:23:14.273+00', '2026-11-26 11:23:14.291+00', '2026-11-26 11:23:14.299+00', 'hangup', false, 'WQ7PJgkSJbqXcpW9AAAA', 'OedFAi0NUQrZlzN8AAAB', 'node_ckEONXc8ESbLn6y1MVBEUir3', 'node_ckEONXc8ESbLn6y1MVBEUir3', NULL, 2, NULL);
INSERT INTO public.conversation_members VALUES ('0x4c21DF35252B92D1e679E1d0A7B6d01Afa53aC54', 'cnv_fvl8LsYWQDWzH27m6pErW4vg', '0x714daa45784680aA258fc4CE1f773F77102aDEd4', '2026-11-26 11:23:14.236+00', NULL, NULL);
INSERT INTO public.conversation_members VALUES ('0x714daa45784680aA258fc4CE1f773F77102aDEd4', 'cnv_fvl8LsYWQDWzH27m6pErW4vg', '0x4c21DF35252B92D1e679E1d0A7B6d01Afa53aC54', '2026-11-26 11:23:14.245+00', NULL, NULL);
INSERT INTO public.conversations VALUES ('cnv_fvl8LsYWQDWzH27m6pErW4vg', 2, '2026-11-26 11:23:14.245+00');
INSERT INTO public.due VALUES ('webhook.sweep', 'log', '2026-11-26 12:23:13.367+00', '{}', NULL, 0);
INSERT INTO public.due VALUES ('events.thin', 'all', '2026-11-26 12:23:13.37+00', '{}', NULL, 0);
INSERT INTO public.due VALUES ('conference.empty', 'room_Hl4VUVcBkShiGWXr6gabI2EH', '2026-11-27 11:23:14.322+00', '{}', NULL, 0);
INSERT INTO public.due VALUES ('node.died', 'node_ckEONXc8ESbLn6y1MVBEUir3', '2026-11-26 11:23:14.479+00', '{"roles": ["api", "signaling", "media"], "diedAt": "2026-11-26T11:23:14.451Z", "seenAt": "2026-11-26T11:23:13.313Z"}', NULL, 0);
INSERT INTO public.due VALUES ('node.requests', 'node_ckEONXc8ESbLn6y1MVBEUir3', '2026-11-26 11:23:14.49+00', '{}', NULL, 0);
INSERT INTO public.esim_orders OVERRIDING SYSTEM VALUE VALUES ('ord_l5HzN8QlwWasnlIZyv2O8kbx', 1, 'acc_LujdAAiUsxOLXSUl7bCpB4Ra', 'rsv_IEzGChrN6h4g26XP4uwxiBIn', 'loopback', 'eu-1gb', 1, 450, 'completed', NULL, NULL, '2026-11-26 11:23:14.333+00', '2026-11-26 11:23:14.337+00');
INSERT INTO public.esim_profiles VALUES ('esm_Vh59Q45U38kiQ8OfBW6jidCK', 'ord_l5HzN8QlwWasnlIZyv2O8kbx', 0, '\xd6ab161a58206c55ee74c4c7bad456b44e0f9356dfc714ccce24a175332ad6322c10607a9771c671ae1c9637d4402c96c7c62606b1e592385cae4848c6ba6768b26c5674b67e1da8ac9109d90b9278cc7be85eb4641d6d771490746a3afced274106f6141f65be5cc3ae122b8cf89f67d5d090d8496133df2d478bda4fb954377ebf3e88e412ed5e');
INSERT INTO public.file_usage VALUES ('installation', 0);
INSERT INTO public.installation VALUES (1, 'kv6KV5QJflaTblx_NzeFP05Kmohv07Qiw3jsj8qRUzs', '2026-11-26 11:23:13.247+00');
INSERT INTO public.ledger OVERRIDING SYSTEM VALUE VALUES ('txn_iw3x646Wqr3uWZpUiRchDUiT', 1, 'acc_LujdAAiUsxOLXSUl7bCpB4Ra', 'credit', 'signup', 500, 500, 'Sign-up credits', 'signup', 'acc_LujdAAiUsxOLXSUl7bCpB4Ra', NULL, '2026-11-26 11:23:14.028+00');
INSERT INTO public.ledger OVERRIDING SYSTEM VALUE VALUES ('txn_z5KmV9plhAqn1EWumQmKwJVi', 2, 'acc_fcWyuyoLbo1kI6ChUXbWrps4', 'credit', 'signup', 500, 500, 'Sign-up credits', 'signup', 'acc_fcWyuyoLbo1kI6ChUXbWrps4', NULL, '2026-11-26 11:23:14.16+00');
INSERT INTO public.ledger OVERRIDING SYSTEM VALUE VALUES ('txn_MMrK7K1LCcT6E9lFZPWU5adr', 3, 'acc_LujdAAiUsxOLXSUl7bCpB4Ra', 'debit', 'esim', 450, 50, 'Orders eSIMs. 1 × eSIM', 'reservation', 'rsv_IEzGChrN6h4g26XP4uwxiBIn', 'svc_live_oou1tp', '2026-11-26 11:23:14.328+00');
INSERT INTO public.nodes VALUES ('node_ckEONXc8ESbLn6y1MVBEUir3', '{api,signaling,media}', NULL, 0, false, '2026-11-26 11:23:13.313+00', '2026-11-26 11:23:13.313+00', '2026-11-26 11:23:14.451+00');
INSERT INTO public.refresh_tokens VALUES ('c65ba80acd9dcc17f30562c38c0fb06c2e49153ea242590e76dce67bc94d54a1', 'ses_ozZUGHOlbjrGFx7Byd4eHLDN', '2026-12-26 11:23:14.063+00', NULL);
INSERT INTO public.refresh_tokens VALUES ('0e6bc0acf1154e51793984eb9414c60e9640f222b7aea874c51e61b62a15d3a4', 'ses_475bjvlFSYeFpy9SDQZE8nn0', '2026-12-26 11:23:14.172+00', NULL);
INSERT INTO public.refresh_tokens VALUES ('b3917055551fdc78e6e99bc50556dac5c92f23c62c51f0ef9836bf30051b119c', 'ses_CLYhkOtd2qnQc8iCQuvco6JD', '2026-12-26 11:23:14.216+00', NULL);
INSERT INTO public.reservations VALUES ('rsv_IEzGChrN6h4g26XP4uwxiBIn', 'acc_LujdAAiUsxOLXSUl7bCpB4Ra', 'esim', 450, 'captured', '{}', 'svc_live_oou1tp', '2026-11-26 11:23:14.328+00', '2026-11-26 11:23:14.341+00');
INSERT INTO public.rooms VALUES ('room_Hl4VUVcBkShiGWXr6gabI2EH', 'Weekly', '0x714daa45784680aA258fc4CE1f773F77102aDEd4', 5, true, true, '{"codec": "vp8", "locked": false, "record": false, "allowChat": true, "maxDuration": null, "muteOnEntry": false, "waitingRoom": false, "emptyTimeout": 300, "allowScreenShare": true}', 'waiting', '2026-11-26 11:23:14.309+00', NULL, NULL, NULL, 'mainnet', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.sessions VALUES ('ses_ozZUGHOlbjrGFx7Byd4eHLDN', 'acc_LujdAAiUsxOLXSUl7bCpB4Ra', '0x714daa45784680aA258fc4CE1f773F77102aDEd4', 'app', 'mainnet', 1, '2026-11-26 11:23:14.053+00', NULL, NULL, '{"by": "key"}');
INSERT INTO public.sessions VALUES ('ses_475bjvlFSYeFpy9SDQZE8nn0', 'acc_fcWyuyoLbo1kI6ChUXbWrps4', '0x4c21DF35252B92D1e679E1d0A7B6d01Afa53aC54', 'app', 'mainnet', 1, '2026-11-26 11:23:14.167+00', NULL, NULL, '{"by": "key"}');
INSERT INTO public.sessions VALUES ('ses_CLYhkOtd2qnQc8iCQuvco6JD', 'acc_LujdAAiUsxOLXSUl7bCpB4Ra', '0x714daa45784680aA258fc4CE1f773F77102aDEd4', 'dashboard', 'mainnet', 1, '2026-11-26 11:23:14.213+00', NULL, NULL, '{"by": "key"}');
INSERT INTO public.used_nonces VALUES ('mWLdq9cYywq0vNif0mwxgy3x15573370ba54bbec5aa8b48ad19b64d00', '2026-11-26 11:28:13.909+00');
INSERT INTO public.used_nonces VALUES ('QJyCq0FWY2vszXpH0mwxgy43e80177058bfdbf433b0512c545e83eaa2', '2026-11-26 11:28:14.138+00');
INSERT INTO public.used_nonces VALUES ('enFsL1jJJNC5ke8H0mwxgy44xa8990e7d2145a56bf23940c5aaa30da3', '2026-11-26 11:28:14.193+00');
INSERT INTO public.wallet_events VALUES ('0x4c21DF35252B92D1e679E1d0A7B6d01Afa53aC54', 1, 'message:received', '{"messageId" : "msg_EGw1pIxLc1oAgUpks0OhoNCY"}', '2026-11-26 11:23:14.236+00');
INSERT INTO public.wallet_events VALUES ('0x714daa45784680aA258fc4CE1f773F77102aDEd4', 1, 'message:sent', '{"messageId" : "msg_EGw1pIxLc1oAgUpks0OhoNCY"}', '2026-11-26 11:23:14.236+00');
INSERT INTO public.wallet_events VALUES ('0x4c21DF35252B92D1e679E1d0A7B6d01Afa53aC54', 2, 'message:sent', '{"messageId" : "msg_p5skgBkJwe3tkI8PEsLMr5xL"}', '2026-11-26 11:23:14.245+00');
INSERT INTO public.wallet_events VALUES ('0x714daa45784680aA258fc4CE1f773F77102aDEd4', 2, 'message:received', '{"messageId" : "msg_p5skgBkJwe3tkI8PEsLMr5xL"}', '2026-11-26 11:23:14.245+00');
INSERT INTO public.wallet_events VALUES ('0x714daa45784680aA258fc4CE1f773F77102aDEd4', 3, 'message:delivered', '{"messageId" : "msg_EGw1pIxLc1oAgUpks0OhoNCY", "conversationId" : "cnv_fvl8LsYWQDWzH27m6pErW4vg", "by" : "0x4c21DF35252B92D1e679E1d0A7B6d01Afa53aC54", "from" : "0x714daa45784680aA258fc4CE1f773F77102aDEd4", "at" : "2026-11-26T11:23:14.349Z"}', '2026-11-26 11:23:14.349+00');
INSERT INTO public.wallet_events VALUES ('0x4c21DF35252B92D1e679E1d0A7B6d01Afa53aC54', 3, 'message:delivered', '{"messageId" : "msg_p5skgBkJwe3tkI8PEsLMr5xL", "conversationId" : "cnv_fvl8LsYWQDWzH27m6pErW4vg", "by" : "0x714daa45784680aA258fc4CE1f773F77102aDEd4", "from" : "0x4c21DF35252B92D1e679E1d0A7B6d01Afa53aC54", "at" : "2026-11-26T11:23:14.352Z"}', '2026-11-26 11:23:14.353+00');
INSERT INTO public.wallet_messages VALUES ('msg_EGw1pIxLc1oAgUpks0OhoNCY', 'cnv_fvl8LsYWQDWzH27m6pErW4vg', '0x714daa45784680aA258fc4CE1f773F77102aDEd4', '0x4c21DF35252B92D1e679E1d0A7B6d01Afa53aC54', 'text', 'Are you there?', NULL, '2026-11-26 11:23:14.236+00', false, false, false, NULL, '[]', NULL, NULL, NULL);
INSERT INTO public.wallet_messages VALUES ('msg_p5skgBkJwe3tkI8PEsLMr5xL', 'cnv_fvl8LsYWQDWzH27m6pErW4vg', '0x4c21DF35252B92D1e679E1d0A7B6d01Afa53aC54', '0x714daa45784680aA258fc4CE1f773F77102aDEd4', 'text', 'Yes, always.', NULL, '2026-11-26 11:23:14.245+00', false, false, false, NULL, '[]', NULL, NULL, NULL);
INSERT INTO public.wallet_sequences VALUES ('0x714daa45784680aA258fc4CE1f773F77102aDEd4', 3);
INSERT INTO public.wallet_sequences VALUES ('0x4c21DF35252B92D1e679E1d0A7B6d01Afa53aC54', 3);
INSERT INTO public.webhook_clock VALUES (1, 0);
SELECT pg_catalog.setval('drizzle.__drizzle_migrations_id_seq', 17, true);
SELECT pg_catalog.setval('public.api_keys_seq_seq', 1, true);
SELECT pg_catalog.setval('public.audit_log_seq_seq', 11, true);
SELECT pg_catalog.setval('public.esim_orders_seq_seq', 1, true);
SELECT pg_catalog.setval('public.leak_breaches_id_seq', 1, false);
SELECT pg_catalog.setval('public.ledger_seq_seq', 3, true);
SELECT pg_catalog.setval('public.messages_seq_seq', 1, false);
SELECT pg_catalog.setval('public.payments_seq_seq', 1, false);
SELECT pg_catalog.setval('public.phone_numbers_seq_seq', 1, false);
SELECT pg_catalog.setval('public.room_epochs', 1, false);
SELECT pg_catalog.setval('public.webhook_deliveries_seq_seq', 1, false);
SELECT pg_catalog.setval('public.webhook_endpoints_seq_seq', 1, false);
SELECT pg_catalog.setval('public.webhook_events_seq_seq', 1, false);
SELECT pg_catalog.setval('public.x402_payments_seq_seq', 1, false);
ALTER TABLE ONLY drizzle.__drizzle_migrations
    ADD CONSTRAINT __drizzle_migrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_publishable_key_unique UNIQUE (publishable_key);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_wallet_unique UNIQUE (wallet);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_hash_unique UNIQUE (hash);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_prefix_unique UNIQUE (prefix);
ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.blocks
    ADD CONSTRAINT blocks_wallet_blocked_pk PRIMARY KEY (wallet, blocked);
ALTER TABLE ONLY public.calls
    ADD CONSTRAINT calls_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.conversation_members
    ADD CONSTRAINT conversation_members_wallet_conversation_pk PRIMARY KEY (wallet, conversation);
ALTER TABLE ONLY public.conversations
    ADD CONSTRAINT conversations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.due
    ADD CONSTRAINT due_kind_subject_pk PRIMARY KEY (kind, subject);
ALTER TABLE ONLY public.esim_orders
    ADD CONSTRAINT esim_orders_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.esim_profiles
    ADD CONSTRAINT esim_profiles_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.file_usage
    ADD CONSTRAINT file_usage_pkey PRIMARY KEY (holder);
ALTER TABLE ONLY public.files
    ADD CONSTRAINT files_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.handed_parts
    ADD CONSTRAINT handed_parts_carrier_submission_id_part_pk PRIMARY KEY (carrier, submission_id, part);
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_account_id_method_path_key_pk PRIMARY KEY (account_id, method, path, key);
ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_account_idx UNIQUE (account_id, issuer);
ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_subject_idx UNIQUE (issuer, subject);
ALTER TABLE ONLY public.installation
    ADD CONSTRAINT installation_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.leak_breaches
    ADD CONSTRAINT leak_breaches_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.leak_breaches
    ADD CONSTRAINT leak_breaches_source_unique UNIQUE (source);
ALTER TABLE ONLY public.leak_entries
    ADD CONSTRAINT leak_entries_hash_breach_id_pk PRIMARY KEY (hash, breach_id);
ALTER TABLE ONLY public.leak_imports
    ADD CONSTRAINT leak_imports_pkey PRIMARY KEY (fingerprint);
ALTER TABLE ONLY public.leak_passwords
    ADD CONSTRAINT leak_passwords_pkey PRIMARY KEY (sha1);
ALTER TABLE ONLY public.leak_quotas
    ADD CONSTRAINT leak_quotas_account_id_period_start_pk PRIMARY KEY (account_id, period_start);
ALTER TABLE ONLY public.ledger
    ADD CONSTRAINT ledger_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.loopback_texts
    ADD CONSTRAINT loopback_texts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.message_parts
    ADD CONSTRAINT message_parts_carrier_reference_pk PRIMARY KEY (carrier, reference);
ALTER TABLE ONLY public.message_words
    ADD CONSTRAINT message_words_wallet_sent_at_message_pk PRIMARY KEY (wallet, sent_at, message);
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_payment_id_unique UNIQUE (payment_id);
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.nodes
    ADD CONSTRAINT nodes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.notification_preferences
    ADD CONSTRAINT notification_preferences_pkey PRIMARY KEY (wallet);
ALTER TABLE ONLY public.number_orders
    ADD CONSTRAINT number_orders_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.opt_outs
    ADD CONSTRAINT opt_outs_sender_recipient_pk PRIMARY KEY (sender, recipient);
ALTER TABLE ONLY public.participant_tokens
    ADD CONSTRAINT participant_tokens_hash_unique UNIQUE (hash);
ALTER TABLE ONLY public.participant_tokens
    ADD CONSTRAINT participant_tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.payments
    ADD CONSTRAINT payments_checkout_id_unique UNIQUE (checkout_id);
ALTER TABLE ONLY public.payments
    ADD CONSTRAINT payments_invoice_id_unique UNIQUE (invoice_id);
ALTER TABLE ONLY public.payments
    ADD CONSTRAINT payments_payment_intent_id_unique UNIQUE (payment_intent_id);
ALTER TABLE ONLY public.payments
    ADD CONSTRAINT payments_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.phone_numbers
    ADD CONSTRAINT phone_numbers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.pool_assignments
    ADD CONSTRAINT pool_assignments_number_counterparty_pk PRIMARY KEY (number, counterparty);
ALTER TABLE ONLY public.profiles
    ADD CONSTRAINT profiles_pkey PRIMARY KEY (wallet);
ALTER TABLE ONLY public.push_presence
    ADD CONSTRAINT push_presence_pkey PRIMARY KEY (socket_id);
ALTER TABLE ONLY public.push_subscriptions
    ADD CONSTRAINT push_subscriptions_device_idx UNIQUE (wallet, address);
ALTER TABLE ONLY public.push_subscriptions
    ADD CONSTRAINT push_subscriptions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.recording_files
    ADD CONSTRAINT recording_files_recording_id_file_id_pk PRIMARY KEY (recording_id, file_id);
ALTER TABLE ONLY public.recording_parts
    ADD CONSTRAINT recording_parts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.recordings
    ADD CONSTRAINT recordings_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.refresh_tokens
    ADD CONSTRAINT refresh_tokens_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.reservations
    ADD CONSTRAINT reservations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.room_chat
    ADD CONSTRAINT room_chat_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.room_members
    ADD CONSTRAINT room_members_room_id_wallet_pk PRIMARY KEY (room_id, wallet);
ALTER TABLE ONLY public.room_owners
    ADD CONSTRAINT room_owners_pkey PRIMARY KEY (room_id);
ALTER TABLE ONLY public.rooms
    ADD CONSTRAINT rooms_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.saved_contacts
    ADD CONSTRAINT saved_contacts_wallet_contact_pk PRIMARY KEY (wallet, contact);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.smpp_inbound_parts
    ADD CONSTRAINT smpp_inbound_parts_sender_recipient_reference_total_part_pk PRIMARY KEY (sender, recipient, reference, total, part);
ALTER TABLE ONLY public.smpp_inbound_texts
    ADD CONSTRAINT smpp_inbound_texts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.stock_numbers
    ADD CONSTRAINT stock_numbers_carrier_phone_number_pk PRIMARY KEY (carrier, phone_number);
ALTER TABLE ONLY public.stream_bans
    ADD CONSTRAINT stream_bans_stream_id_wallet_pk PRIMARY KEY (stream_id, wallet);
ALTER TABLE ONLY public.stream_chat
    ADD CONSTRAINT stream_chat_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.stream_watchings
    ADD CONSTRAINT stream_watchings_stream_id_id_pk PRIMARY KEY (stream_id, id);
ALTER TABLE ONLY public.streams
    ADD CONSTRAINT streams_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.stripe_customers
    ADD CONSTRAINT stripe_customers_customer_id_unique UNIQUE (customer_id);
ALTER TABLE ONLY public.stripe_customers
    ADD CONSTRAINT stripe_customers_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_stripe_subscription_id_unique UNIQUE (stripe_subscription_id);
ALTER TABLE ONLY public.threads
    ADD CONSTRAINT threads_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.used_nonces
    ADD CONSTRAINT used_nonces_pkey PRIMARY KEY (nonce);
ALTER TABLE ONLY public.verifications
    ADD CONSTRAINT verifications_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.voicemails
    ADD CONSTRAINT voicemails_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.wallet_events
    ADD CONSTRAINT wallet_events_wallet_sequence_pk PRIMARY KEY (wallet, sequence);
ALTER TABLE ONLY public.wallet_messages
    ADD CONSTRAINT wallet_messages_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.wallet_sequences
    ADD CONSTRAINT wallet_sequences_pkey PRIMARY KEY (wallet);
ALTER TABLE ONLY public.webhook_clock
    ADD CONSTRAINT webhook_clock_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook_events
    ADD CONSTRAINT webhook_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook_sequences
    ADD CONSTRAINT webhook_sequences_account_id_subject_id_pk PRIMARY KEY (account_id, subject_id);
ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (number_id);
ALTER TABLE ONLY public.webrtc_sessions
    ADD CONSTRAINT webrtc_sessions_pkey PRIMARY KEY (id_hash);
ALTER TABLE ONLY public.x402_payments
    ADD CONSTRAINT x402_payments_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.x402_settlers
    ADD CONSTRAINT x402_settlers_chain_id_address_pk PRIMARY KEY (chain_id, address);
ALTER TABLE ONLY public.xmpp_accounts
    ADD CONSTRAINT xmpp_accounts_domain_username_pk PRIMARY KEY (domain, username);
CREATE INDEX api_keys_account_idx ON public.api_keys USING btree (account_id, seq);
CREATE INDEX audit_log_account_idx ON public.audit_log USING btree (account_id, seq);
CREATE INDEX audit_log_changes_idx ON public.audit_log USING btree (account_id, seq) WHERE ((actor_type <> 'session'::text) OR (method IS DISTINCT FROM 'GET'::text));
CREATE INDEX audit_log_prefix_idx ON public.audit_log USING btree (account_id, actor_prefix, seq);
CREATE INDEX audit_log_time_idx ON public.audit_log USING btree (account_id, at);
CREATE INDEX calls_callee_idx ON public.calls USING btree (callee, started_at);
CREATE INDEX calls_callee_socket_idx ON public.calls USING btree (callee_socket) WHERE (status = ANY (ARRAY['ringing'::text, 'active'::text]));
CREATE INDEX calls_caller_idx ON public.calls USING btree (caller, started_at);
CREATE INDEX calls_caller_socket_idx ON public.calls USING btree (caller_socket) WHERE (status = ANY (ARRAY['ringing'::text, 'active'::text]));
CREATE INDEX calls_ended_idx ON public.calls USING btree (ended_at);
CREATE INDEX calls_running_idx ON public.calls USING btree (status) WHERE (status = ANY (ARRAY['ringing'::text, 'active'::text]));
CREATE INDEX due_at_idx ON public.due USING btree (due_at);
CREATE INDEX esim_orders_account_idx ON public.esim_orders USING btree (account_id, seq);
CREATE INDEX esim_orders_charge_idx ON public.esim_orders USING btree (charge_id);
CREATE UNIQUE INDEX esim_profiles_order_idx ON public.esim_profiles USING btree (order_id, "position");
CREATE INDEX files_pending_idx ON public.files USING btree (wallet) WHERE (attached_at IS NULL);
CREATE INDEX handed_parts_at_idx ON public.handed_parts USING btree (at);
CREATE INDEX handed_parts_reference_idx ON public.handed_parts USING btree (carrier, reference);
CREATE INDEX idempotency_keys_expiry_idx ON public.idempotency_keys USING btree (expires_at);
CREATE INDEX idempotency_keys_running_idx ON public.idempotency_keys USING btree (node_id) WHERE (status IS NULL);
CREATE INDEX leak_breaches_domain_idx ON public.leak_breaches USING btree (domain);
CREATE INDEX ledger_account_idx ON public.ledger USING btree (account_id, seq);
CREATE UNIQUE INDEX ledger_grant_idx ON public.ledger USING btree (account_id, reference_type, reference_id) WHERE (type = 'credit'::text);
CREATE INDEX ledger_time_idx ON public.ledger USING btree (account_id, created_at);
CREATE INDEX loopback_texts_delivered_idx ON public.loopback_texts USING btree (delivered_at) WHERE (delivered_at IS NOT NULL);
CREATE INDEX message_parts_message_idx ON public.message_parts USING btree (message_id);
CREATE INDEX message_parts_stray_idx ON public.message_parts USING btree (created_at) WHERE (message_id IS NULL);
CREATE INDEX message_words_idx ON public.message_words USING gin (words) WITH (fastupdate='false');
CREATE INDEX messages_counterparty_idx ON public.messages USING btree (account_id, counterparty, seq);
CREATE UNIQUE INDEX messages_inbound_idx ON public.messages USING btree (carrier, carrier_reference) WHERE (carrier_reference IS NOT NULL);
CREATE INDEX messages_inbox_idx ON public.messages USING btree (account_id, seq) WHERE (direction = 'inbound'::text);
CREATE INDEX messages_number_idx ON public.messages USING btree (number_id, seq) WHERE (number_id IS NOT NULL);
CREATE INDEX messages_own_idx ON public.messages USING btree (account_id, seq) WHERE (number_id IS NOT NULL);
CREATE INDEX messages_since_idx ON public.messages USING btree (account_id, created_at);
CREATE INDEX messages_thread_idx ON public.messages USING btree (thread_id, seq);
CREATE INDEX nodes_living_idx ON public.nodes USING btree (id) WHERE (died_at IS NULL);
CREATE INDEX number_orders_reservation_idx ON public.number_orders USING btree (reservation_id);
CREATE INDEX participant_tokens_expires_idx ON public.participant_tokens USING btree (expires_at);
CREATE INDEX participant_tokens_subject_idx ON public.participant_tokens USING btree (subject_id, created_at);
CREATE INDEX payments_account_idx ON public.payments USING btree (account_id, seq);
CREATE INDEX phone_numbers_account_idx ON public.phone_numbers USING btree (account_id, seq);
CREATE UNIQUE INDEX phone_numbers_owner_idx ON public.phone_numbers USING btree (phone_number) WHERE (status <> 'released'::text);
CREATE INDEX pool_assignments_counterparty_idx ON public.pool_assignments USING btree (counterparty);
CREATE INDEX push_presence_node_idx ON public.push_presence USING btree (node_id);
CREATE INDEX push_presence_wallet_idx ON public.push_presence USING btree (wallet);
CREATE INDEX push_subscriptions_address_idx ON public.push_subscriptions USING btree (address);
CREATE INDEX recording_files_file_idx ON public.recording_files USING btree (file_id);
CREATE INDEX recording_parts_idx ON public.recording_parts USING btree (recording_id, started_at);
CREATE INDEX recordings_held_idx ON public.recordings USING btree (held_by) WHERE (held_by IS NOT NULL);
CREATE INDEX recordings_host_idx ON public.recordings USING btree (host, started_at);
CREATE INDEX recordings_room_idx ON public.recordings USING btree (room_id);
CREATE INDEX refresh_tokens_expiry_idx ON public.refresh_tokens USING btree (expires_at);
CREATE INDEX refresh_tokens_session_idx ON public.refresh_tokens USING btree (session_id);
CREATE INDEX room_chat_room_idx ON public.room_chat USING btree (room_id, sent_at);
CREATE INDEX room_members_changed_idx ON public.room_members USING btree (changed_at);
CREATE INDEX room_members_node_idx ON public.room_members USING btree (node);
CREATE INDEX room_members_past_idx ON public.room_members USING btree (wallet, past_at, room_id) WHERE (past_at IS NOT NULL);
CREATE INDEX room_members_present_idx ON public.room_members USING btree (room_id) WHERE (standing = 'present'::text);
CREATE INDEX room_members_socket_idx ON public.room_members USING btree (socket);
CREATE INDEX room_members_token_idx ON public.room_members USING btree (token_id) WHERE (token_id IS NOT NULL);
CREATE INDEX room_members_waiting_idx ON public.room_members USING btree (room_id) WHERE (standing = 'waiting'::text);
CREATE INDEX room_members_wallet_idx ON public.room_members USING btree (wallet);
CREATE INDEX room_owners_node_idx ON public.room_owners USING btree (node_id);
CREATE INDEX rooms_ended_idx ON public.rooms USING btree (ended_at);
CREATE INDEX rooms_host_idx ON public.rooms USING btree (host, created_at);
CREATE INDEX rooms_parent_idx ON public.rooms USING btree (parent_id) WHERE (parent_id IS NOT NULL);
CREATE INDEX saved_contacts_name_idx ON public.saved_contacts USING btree (wallet, lower(name), contact);
CREATE INDEX sessions_account_idx ON public.sessions USING btree (account_id);
CREATE INDEX smpp_inbound_parts_received_idx ON public.smpp_inbound_parts USING btree (received_at);
CREATE INDEX smpp_inbound_texts_digest_idx ON public.smpp_inbound_texts USING btree (digest, received_at);
CREATE INDEX smpp_inbound_texts_received_idx ON public.smpp_inbound_texts USING btree (received_at);
CREATE INDEX stock_numbers_order_idx ON public.stock_numbers USING btree (order_id);
CREATE INDEX stream_chat_stream_idx ON public.stream_chat USING btree (stream_id, sent_at);
CREATE INDEX stream_watchings_joined_idx ON public.stream_watchings USING btree (stream_id, joined_at);
CREATE INDEX stream_watchings_node_idx ON public.stream_watchings USING btree (node);
CREATE INDEX stream_watchings_seen_idx ON public.stream_watchings USING btree (seen_at) WHERE (socket IS NULL);
CREATE INDEX stream_watchings_socket_idx ON public.stream_watchings USING btree (socket);
CREATE INDEX stream_watchings_token_idx ON public.stream_watchings USING btree (token_id) WHERE (token_id IS NOT NULL);
CREATE INDEX stream_watchings_viewer_idx ON public.stream_watchings USING btree (stream_id, viewer);
CREATE INDEX streams_ended_idx ON public.streams USING btree (ended_at);
CREATE INDEX streams_host_idx ON public.streams USING btree (host, created_at);
CREATE UNIQUE INDEX streams_key_idx ON public.streams USING btree (key_hash);
CREATE INDEX streams_open_idx ON public.streams USING btree (created_at) WHERE ((status = 'live'::text) AND is_public);
CREATE INDEX streams_publisher_node_idx ON public.streams USING btree (publisher_node);
CREATE INDEX streams_publisher_socket_idx ON public.streams USING btree (publisher_socket);
CREATE UNIQUE INDEX threads_pair_idx ON public.threads USING btree (account_id, counterparty, number);
CREATE INDEX threads_recent_idx ON public.threads USING btree (account_id, last_seq);
CREATE INDEX used_nonces_expiry_idx ON public.used_nonces USING btree (expires_at);
CREATE INDEX verifications_charge_idx ON public.verifications USING btree (charge_id);
CREATE INDEX verifications_expiry_idx ON public.verifications USING btree (expires_at);
CREATE INDEX verifications_to_idx ON public.verifications USING btree ("to", created_at);
CREATE INDEX voicemails_file_idx ON public.voicemails USING btree (file_id);
CREATE INDEX voicemails_recipient_idx ON public.voicemails USING btree (recipient, created_at) WHERE (status = 'ready'::text);
CREATE INDEX wallet_events_created_idx ON public.wallet_events USING brin (created_at);
CREATE UNIQUE INDEX wallet_messages_conversation_idx ON public.wallet_messages USING btree (conversation, sent_at);
CREATE INDEX wallet_messages_media_idx ON public.wallet_messages USING btree (media_id) WHERE (media_id IS NOT NULL);
CREATE INDEX webhook_deliveries_account_idx ON public.webhook_deliveries USING btree (account_id, seq);
CREATE INDEX webhook_deliveries_endpoint_idx ON public.webhook_deliveries USING btree (endpoint_id, seq);
CREATE INDEX webhook_deliveries_endpoint_pending_idx ON public.webhook_deliveries USING btree (endpoint_id, next_attempt_at) WHERE ((status = 'pending'::text) AND (endpoint_id IS NOT NULL));
CREATE INDEX webhook_deliveries_number_idx ON public.webhook_deliveries USING btree (number_id, seq);
CREATE INDEX webhook_deliveries_order_idx ON public.webhook_deliveries USING btree (endpoint_id, order_key, seq) WHERE ((settled_at IS NULL) AND (order_key IS NOT NULL));
CREATE INDEX webhook_deliveries_pending_idx ON public.webhook_deliveries USING btree (number_id, next_attempt_at) WHERE (status = 'pending'::text);
CREATE INDEX webhook_deliveries_settled_idx ON public.webhook_deliveries USING btree (settled_at) WHERE (settled_at IS NOT NULL);
CREATE INDEX webhook_endpoints_account_idx ON public.webhook_endpoints USING btree (account_id, seq);
CREATE INDEX webhook_events_account_idx ON public.webhook_events USING btree (account_id, "position", seq);
CREATE INDEX webhook_events_created_idx ON public.webhook_events USING btree (created_at);
CREATE INDEX webhook_events_subject_idx ON public.webhook_events USING btree (subject_id, sequence);
CREATE INDEX webhook_sequences_changed_idx ON public.webhook_sequences USING btree (changed_at);
CREATE INDEX webrtc_sessions_seen_idx ON public.webrtc_sessions USING btree (seen_at);
CREATE INDEX x402_payments_expiry_idx ON public.x402_payments USING btree (expires_at) WHERE (answer IS NOT NULL);
CREATE UNIQUE INDEX x402_payments_nonce_idx ON public.x402_payments USING btree (network, asset, payer, nonce);
CREATE INDEX x402_payments_payer_idx ON public.x402_payments USING btree (payer, seq);
CREATE INDEX x402_payments_running_idx ON public.x402_payments USING btree (node_id) WHERE (status = ANY (ARRAY['settling'::text, 'settled'::text]));
CREATE INDEX x402_payments_seq_idx ON public.x402_payments USING btree (seq);
CREATE INDEX xmpp_accounts_charge_idx ON public.xmpp_accounts USING btree (charge_id);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES public.accounts(id);
ALTER TABLE ONLY public.esim_profiles
    ADD CONSTRAINT esim_profiles_order_id_esim_orders_id_fk FOREIGN KEY (order_id) REFERENCES public.esim_orders(id);
ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES public.accounts(id);
ALTER TABLE ONLY public.ledger
    ADD CONSTRAINT ledger_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES public.accounts(id);
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES public.accounts(id);
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_thread_id_threads_id_fk FOREIGN KEY (thread_id) REFERENCES public.threads(id);
ALTER TABLE ONLY public.number_orders
    ADD CONSTRAINT number_orders_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES public.accounts(id);
ALTER TABLE ONLY public.payments
    ADD CONSTRAINT payments_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES public.accounts(id);
ALTER TABLE ONLY public.phone_numbers
    ADD CONSTRAINT phone_numbers_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES public.accounts(id);
ALTER TABLE ONLY public.pool_assignments
    ADD CONSTRAINT pool_assignments_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES public.accounts(id);
ALTER TABLE ONLY public.recording_files
    ADD CONSTRAINT recording_files_recording_id_recordings_id_fk FOREIGN KEY (recording_id) REFERENCES public.recordings(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.recording_parts
    ADD CONSTRAINT recording_parts_recording_id_recordings_id_fk FOREIGN KEY (recording_id) REFERENCES public.recordings(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.refresh_tokens
    ADD CONSTRAINT refresh_tokens_session_id_sessions_id_fk FOREIGN KEY (session_id) REFERENCES public.sessions(id);
ALTER TABLE ONLY public.reservations
    ADD CONSTRAINT reservations_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES public.accounts(id);
ALTER TABLE ONLY public.room_chat
    ADD CONSTRAINT room_chat_room_id_rooms_id_fk FOREIGN KEY (room_id) REFERENCES public.rooms(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.room_members
    ADD CONSTRAINT room_members_room_id_rooms_id_fk FOREIGN KEY (room_id) REFERENCES public.rooms(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES public.accounts(id);
ALTER TABLE ONLY public.stream_bans
    ADD CONSTRAINT stream_bans_stream_id_streams_id_fk FOREIGN KEY (stream_id) REFERENCES public.streams(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.stream_chat
    ADD CONSTRAINT stream_chat_stream_id_streams_id_fk FOREIGN KEY (stream_id) REFERENCES public.streams(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.stream_watchings
    ADD CONSTRAINT stream_watchings_stream_id_streams_id_fk FOREIGN KEY (stream_id) REFERENCES public.streams(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.stripe_customers
    ADD CONSTRAINT stripe_customers_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES public.accounts(id);
ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES public.accounts(id);
ALTER TABLE ONLY public.threads
    ADD CONSTRAINT threads_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES public.accounts(id);
ALTER TABLE ONLY public.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES public.accounts(id);
ALTER TABLE ONLY public.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_set_by_key_api_keys_id_fk FOREIGN KEY (set_by_key) REFERENCES public.api_keys(id);
ALTER TABLE ONLY public.webhook_events
    ADD CONSTRAINT webhook_events_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES public.accounts(id);
ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES public.accounts(id);
ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_number_id_phone_numbers_id_fk FOREIGN KEY (number_id) REFERENCES public.phone_numbers(id);
ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_set_by_key_api_keys_id_fk FOREIGN KEY (set_by_key) REFERENCES public.api_keys(id);
