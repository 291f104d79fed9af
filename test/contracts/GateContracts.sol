// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Governor} from "@openzeppelin/contracts/governance/Governor.sol";
import {GovernorCountingSimple} from "@openzeppelin/contracts/governance/extensions/GovernorCountingSimple.sol";
import {GovernorVotes} from "@openzeppelin/contracts/governance/extensions/GovernorVotes.sol";
import {IVotes} from "@openzeppelin/contracts/governance/utils/IVotes.sol";
import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Votes} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Votes.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";

// The contracts that gates read in tests: OpenZeppelin's tokens, and the ways in which DAOs store their members.

contract GateNft is ERC721 {
    constructor() ERC721("Gate NFT", "GATE") {}

    function mint(address to, uint256 id) external {
        _mint(to, id);
    }

    function burn(uint256 id) external {
        _burn(id);
    }
}

contract GateItems is ERC1155 {
    constructor() ERC1155("") {}

    function mint(address to, uint256 id, uint256 amount) external {
        _mint(to, id, amount, "");
    }
}

/// Votes with a clock in blocks.
contract GateVotes is ERC20, EIP712, ERC20Votes {
    constructor() ERC20("Gate votes", "VOTE") EIP712("Gate votes", "1") {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function _update(address from, address to, uint256 value) internal override(ERC20, ERC20Votes) {
        super._update(from, to, value);
    }
}

/// Votes with a clock in seconds (ERC-6372).
contract GateTimeVotes is GateVotes {
    function clock() public view override returns (uint48) {
        return uint48(block.timestamp);
    }

    function CLOCK_MODE() public pure override returns (string memory) {
        return "mode=timestamp";
    }
}

contract GateGovernor is Governor, GovernorCountingSimple, GovernorVotes {
    constructor(IVotes token) Governor("Gate governor") GovernorVotes(token) {}

    function votingDelay() public pure override returns (uint256) {
        return 1;
    }

    function votingPeriod() public pure override returns (uint256) {
        return 100;
    }

    function quorum(uint256) public pure override returns (uint256) {
        return 1;
    }
}

/// A governor from before ERC-6372: its clock counts blocks, and it has no clock() function.
contract OldGovernor {
    ERC20Votes private immutable token;

    constructor(ERC20Votes token_) {
        token = token_;
    }

    function getVotes(address account, uint256 blockNumber) external view returns (uint256) {
        return token.getPastVotes(account, blockNumber);
    }
}

/// The members of an Aragon plugin.
contract MembersByQuestion {
    mapping(address account => bool) public isMember;

    function set(address account, bool is_) external {
        isMember[account] = is_;
    }
}

/// The owners of a Safe.
contract OwnersByQuestion {
    mapping(address account => bool) public isOwner;

    function set(address account, bool is_) external {
        isOwner[account] = is_;
    }
}

/// The members of a Moloch DAO (version 1).
contract MolochMembers {
    struct Member {
        address delegateKey;
        uint256 shares;
        bool exists;
        uint256 highestIndexYesVote;
    }

    mapping(address account => Member) public members;

    function set(address account, uint256 shares) external {
        members[account] = Member(account, shares, true, 0);
    }
}

/// The members of a Moloch DAO (version 2): jailed members have loot but no shares.
contract Moloch2Members {
    struct Member {
        address delegateKey;
        uint256 shares;
        uint256 loot;
        bool exists;
        uint256 highestIndexYesVote;
        uint256 jailed;
    }

    mapping(address account => Member) public members;

    function set(address account, uint256 shares, uint256 loot) external {
        members[account] = Member(account, shares, loot, true, 0, 0);
    }
}

/// A token from before ERC-165: it has balances, but does not report its interfaces.
contract OldNft {
    mapping(address account => uint256) public balanceOf;

    function mint(address to) external {
        balanceOf[to]++;
    }
}

/// Returns malformed answers.
contract Nonsense {
    fallback() external {
        assembly {
            mstore(0, 42)
            return(0, 31)
        }
    }
}
