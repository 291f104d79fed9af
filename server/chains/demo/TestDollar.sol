// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// A dollar anyone may mint, for trying payments: transfers by signature as USDC has them (EIP-3009), and six decimals.
contract TestDollar is ERC20, EIP712 {
    bytes32 private constant TRANSFER_TYPEHASH = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 private constant CANCEL_TYPEHASH = keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

    error AuthorizationUsedOrCanceled();
    error AuthorizationNotYetValid();
    error AuthorizationExpired();
    error InvalidSignature();

    mapping(address authorizer => mapping(bytes32 nonce => bool)) public authorizationState;

    constructor() ERC20("Test Dollar", "TUSD") EIP712("Test Dollar", "1") {}

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function version() external pure returns (string memory) {
        return "1";
    }

    function mint(address to, uint256 value) external {
        _mint(to, value);
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        transferWithAuthorization(from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) public {
        if (block.timestamp <= validAfter) revert AuthorizationNotYetValid();
        if (block.timestamp >= validBefore) revert AuthorizationExpired();
        bytes32 hash = keccak256(abi.encode(TRANSFER_TYPEHASH, from, to, value, validAfter, validBefore, nonce));
        use(from, nonce, hash, signature);
        emit AuthorizationUsed(from, nonce);
        _transfer(from, to, value);
    }

    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
        use(authorizer, nonce, keccak256(abi.encode(CANCEL_TYPEHASH, authorizer, nonce)), abi.encodePacked(r, s, v));
        emit AuthorizationCanceled(authorizer, nonce);
    }

    function use(address authorizer, bytes32 nonce, bytes32 hash, bytes memory signature) private {
        if (authorizationState[authorizer][nonce]) revert AuthorizationUsedOrCanceled();
        if (!SignatureChecker.isValidSignatureNow(authorizer, _hashTypedDataV4(hash), signature)) revert InvalidSignature();
        authorizationState[authorizer][nonce] = true;
    }
}
