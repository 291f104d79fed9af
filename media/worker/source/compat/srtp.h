#pragma once
// The part of the libsrtp 3 API that mediasoup uses, on the libsrtp 2 that distributions have.
//
// Three things differ. Version 3 hides its policy behind a pointer with setters, where version 2 has an open struct. It has
// separate input and output buffers with lengths of type size_t, where version 2 works in place with an int. And it has two
// errors more. mediasoup does not use the features that only version 3 has (MKI, cryptex).

// Version 2's struct takes another name, so that the name can be version 3's pointer.
#define srtp_policy_t srtp2_policy_t
#include <srtp2/srtp.h>
#undef srtp_policy_t

#include <cstddef>
#include <cstdint>
#include <cstring>

struct srtp3_policy
{
	srtp2_policy_t v2;
	uint8_t key[SRTP_MAX_KEY_LEN]; // The master key, then the salt; v2.key points here.
};
typedef srtp3_policy* srtp_policy_t;

inline constexpr srtp_err_status_t srtp_err_status_buffer_small = static_cast<srtp_err_status_t>(28);
inline constexpr srtp_err_status_t srtp_err_status_cryptex_err  = static_cast<srtp_err_status_t>(29);

inline srtp_err_status_t srtp_policy_create(srtp_policy_t* policy)
{
	*policy = new srtp3_policy{};
	return srtp_err_status_ok;
}

inline void srtp_policy_destroy(srtp_policy_t policy)
{
	delete policy;
}

inline srtp_err_status_t srtp_policy_set_ssrc(srtp_policy_t policy, srtp_ssrc_t ssrc)
{
	policy->v2.ssrc = ssrc;
	return srtp_err_status_ok;
}

inline srtp_err_status_t srtp_policy_set_profile(srtp_policy_t policy, srtp_profile_t profile)
{
	if (const auto error = srtp_crypto_policy_set_from_profile_for_rtp(&policy->v2.rtp, profile))
	{
		return error;
	}
	return srtp_crypto_policy_set_from_profile_for_rtcp(&policy->v2.rtcp, profile);
}

inline srtp_err_status_t srtp_policy_add_key(
  srtp_policy_t policy,
  const uint8_t* key,
  size_t keyLen,
  const uint8_t* salt,
  size_t saltLen,
  const uint8_t* /*mki*/,
  size_t /*mkiLen*/)
{
	if (keyLen + saltLen > sizeof(policy->key))
	{
		return srtp_err_status_bad_param;
	}
	std::memcpy(policy->key, key, keyLen);
	std::memcpy(policy->key + keyLen, salt, saltLen);
	policy->v2.key = policy->key;
	return srtp_err_status_ok;
}

inline srtp_err_status_t srtp_policy_set_allow_repeat_tx(srtp_policy_t policy, bool allow)
{
	policy->v2.allow_repeat_tx = allow;
	return srtp_err_status_ok;
}

inline srtp_err_status_t srtp_policy_set_window_size(srtp_policy_t policy, size_t size)
{
	policy->v2.window_size = size;
	return srtp_err_status_ok;
}

inline srtp_err_status_t srtp_create(srtp_t* session, srtp_policy_t policy)
{
	return srtp_create(session, static_cast<const srtp2_policy_t*>(&policy->v2));
}

namespace srtp3
{
using InPlace = srtp_err_status_t(srtp_t, void*, int*);

// Runs a version 2 operation on a copy in the output buffer, after checking that what it may append (growth) has room there.
template<InPlace* Operation>
inline srtp_err_status_t run(
  srtp_t session, const uint8_t* in, size_t inLen, uint8_t* out, size_t* outLen, size_t growth)
{
	if (*outLen < inLen + growth)
	{
		return srtp_err_status_buffer_small;
	}
	if (in != out)
	{
		std::memcpy(out, in, inLen);
	}
	int len          = static_cast<int>(inLen);
	const auto error = Operation(session, out, &len);
	if (error == srtp_err_status_ok)
	{
		*outLen = static_cast<size_t>(len);
	}
	return error;
}
} // namespace srtp3

inline srtp_err_status_t srtp_protect(
  srtp_t session, const uint8_t* in, size_t inLen, uint8_t* out, size_t* outLen, size_t /*mkiIndex*/)
{
	return srtp3::run<static_cast<srtp3::InPlace*>(&srtp_protect)>(
	  session, in, inLen, out, outLen, SRTP_MAX_TRAILER_LEN);
}

inline srtp_err_status_t srtp_unprotect(
  srtp_t session, const uint8_t* in, size_t inLen, uint8_t* out, size_t* outLen)
{
	return srtp3::run<static_cast<srtp3::InPlace*>(&srtp_unprotect)>(session, in, inLen, out, outLen, 0);
}

inline srtp_err_status_t srtp_protect_rtcp(
  srtp_t session, const uint8_t* in, size_t inLen, uint8_t* out, size_t* outLen, size_t /*mkiIndex*/)
{
	// SRTCP appends its 4-byte index as well.
	return srtp3::run<static_cast<srtp3::InPlace*>(&srtp_protect_rtcp)>(
	  session, in, inLen, out, outLen, SRTP_MAX_TRAILER_LEN + 4);
}

inline srtp_err_status_t srtp_unprotect_rtcp(
  srtp_t session, const uint8_t* in, size_t inLen, uint8_t* out, size_t* outLen)
{
	return srtp3::run<static_cast<srtp3::InPlace*>(&srtp_unprotect_rtcp)>(session, in, inLen, out, outLen, 0);
}

inline srtp_err_status_t srtp_stream_remove(srtp_t session, unsigned int ssrc)
{
	return srtp_remove_stream(session, ssrc);
}
